// The scenes of the gallery. Each has a name, a title, what to look at, what it shows, the commands that
// run it alone, and its replays: arguments of `stiction`, or of another program of the build that records
// itself. `wish` is what the page shows first, in the words of its address (docs/page_format.md).
const models = new URL("../../models/scenes/", import.meta.url).pathname;

/// Arguments of `stiction simulate` for a scene of models/scenes.
const simulate = (scene, ...more) => ["simulate", scene, ...more];

/// The command that a user types in the folder of the repository.
const alone = (args, page) => `./run ${args.join(" ").replaceAll(models, "models/scenes/")} --html ${page}.html`;

const one = (name, title, args, { look, shows, wish }) => ({
  name, title, look, shows, alone: [alone(args, name)], replays: [{ args, wish }],
});

/// An example that controls a robot and records itself.
const motion = (name, title, program, { look, shows, wish }) => ({
  name, title, look, shows,
  alone: [`scripts/build release ${program}`, `build/release/bin/${program} ${name}.h5`, `./run replay ${name}.h5 --html ${name}.html`],
  replays: [{ program, args: [], wish }],
});

const springs = ["--contact", "viscoelastic", "--stiffness", "2000", "--damping", "20"];
const beside = simulate("box_stack", "--duration", "2");

export const scenes = [
  one("arm", "An arm that writes", simulate("arm_writes", "--duration", "12", "--control", `table:${models}arm_writes.csv`), {
    look: "The pen presses on the board, slides, lifts and comes down again. Its trail is the writing. Select the pen and plot its contact force: about 5 N while it writes.",
    shows: "A table of joint angles drives position servos. The pen slides by Coulomb's law with friction 0.3: impulses are pink and lean against the motion.",
    wish: "body=pen&show=trails&camera=top&plots=force:2,energy,certificate,contacts",
  }),
  one("gripper", "A gripper lifts a cube", simulate("lift", "--duration", "4", "--control", `table:${models}lift.csv`), {
    look: "The fingers close, then the carriage rises. The contacts of the cube stay green: they stick. In the plots its height stays level to the last digit.",
    shows: "True stiction: what is held does not creep. The fingers share one servo on a tendon, and an equality ties them.",
    wish: "body=cube&plots=z:3,force:3,certificate,contacts",
  }),
  motion("squat", "A humanoid squats", "example_control_humanoid_squat", {
    look: "Romeo bends hips, knees and ankles. The centre of mass (the dot above the floor) moves 4 cm up and down and stays within the polygon of the feet.",
    shows: "Inverse dynamics with hard contact: the soles do not move by a hair while 40 kg go up and down.",
    wish: "show=balance&plots=energy,certificate,contacts",
  }),
  motion("walk", "A humanoid walks", "example_control_walk", {
    look: "Seven steps. One foot carries the weight while the other swings; the centre of mass sways from foot to foot.",
    shows: "Inverse dynamics as a quadratic program: it chooses contact forces and torques, the simulator answers with its own.",
    wish: "show=balance",
  }),
  motion("trot", "A quadruped trots", "example_control_trot", {
    look: "Diagonal legs step together. Watch the arrows jump from one diagonal to the other.",
    shows: "Solo12 at 1 ms per step: feet land, stick and leave without a slip. The certificate plot shows every landing.",
    wish: "show=trails",
  }),
  motion("jump", "A quadruped jumps", "example_control_jump", {
    look: "It crouches, leaves the ground for a quarter of a second and lands on four feet. Energy rises while the motors work and stays constant in the air.",
    shows: "Flight is exact: energy and momentum do not drift. Landing is one impact that loses energy by the contact law alone.",
    wish: "plots=energy,z:0,certificate,contacts",
  }),
  one("stairs", "Things on stairs", simulate("stairs", "--duration", "3"), {
    look: "Barrel, ball, crate, dumbbell and plank start with the same idea and end in different places.",
    shows: "Collision of boxes, cylinders, spheres and capsules with edges. Friction 0.6, no bounce.",
    wish: "camera=fit",
  }),
  one("loop", "A leg with a closed loop", simulate("closed_leg", "--duration", "4", "--control", "constant", "--ctrl", "front_hip=0.35,back_hip=-0.35", "--control", "sine:front_hip,0.45,2.6", "--control", "sine:back_hip,-0.45,2.6"), {
    look: "Two motors at the hip move one foot: the shanks meet there. With each swing the leg pushes itself off the floor and hops.",
    shows: "A closed loop as a lock in the contact problem: it is solved together with the contacts and certified like them.",
    wish: "camera=right&plots=z:0,force:2,certificate,contacts",
  }),
  one("hand", "A hand with tendons", simulate("tendon_hand", "--duration", "5", "--control", `table:${models}tendon_hand.csv`), {
    look: "One tendon, the red thread, bends both joints of each finger. The fingers wrap around the ball without knowing its size, and lift it.",
    shows: "Spatial tendons over sites, springs in the joints, torsional friction of the ball.",
    wish: "plots=z:7,force:7,certificate,contacts",
  }),
  one("car", "A car with two driven wheels", simulate("car", "--duration", "8", "--control", "zero", "--control", `table:${models}car.csv`), {
    look: "Equal speeds of the wheels drive it straight into a box, different ones turn it. The trail is its way.",
    shows: "Rolling without slipping: contacts of the wheels stay green, the caster without friction slides. Turns agree with kinematics.",
    wish: "camera=fit&show=trails",
  }),
  one("pulley", "A cable over a pulley", simulate("pulley", "--duration", "2"), {
    look: "On one thread over a wheel, 1.2 kg pull 0.8 kg up at 1.962 m/s². When the heavy mass lands, the cable goes slack and the light one flies on.",
    shows: "A tendon that wraps around a cylinder and cannot get longer: a limit in the contact problem. Plot the velocity of `heavy`: its slope is (1.2 - 0.8)/(1.2 + 0.8) g.",
    wish: "plots=v:0,v:1,certificate,energy&camera=front",
  }),
  one("dominoes", "Dominoes", simulate("dominoes", "--duration", "1.5"), {
    look: "The first one leans. The wave runs at a constant speed, and the fallen ones push from behind.",
    shows: "Sixty free bodies in one chain of contacts: one large problem per step. Colours tell who sticks and who slips.",
    wish: "camera=fit",
  }),
  one("cradle", "Newton's cradle", simulate("cradle_five", "--duration", "14.5"), {
    look: "One ball in, one ball out, ten times. The energy plot stays level: less than 0.1 % in ten swings.",
    shows: "Restitution 1, impacts one after the other within a step, each at its own time.",
    wish: "camera=front&plots=q:0,q:4,energy,certificate",
  }),
  one("gears", "Two gears", simulate("gears", "--duration", "3"), {
    look: "Teeth push teeth: there is no equality between the gears. The large one turns half as fast.",
    shows: "Contacts that come and go every few milliseconds, with friction 0.05.",
    wish: "camera=front&plots=v:0,v:1,certificate,contacts",
  }),
  one("bolts", "A box of bolts", simulate("bolts", "--duration", "1.2", "--record-every", "10"), {
    look: "Forty bolts fall, jam and come to rest. Shafts lie on shafts, heads lean on the walls.",
    shows: "Some 100 contacts that act on each other, with shapes of two parts. The solver `hybrid` brings all of them to the tolerance together.",
    wish: "camera=fit",
  }),
  {
    name: "springs", title: "Hard contact and springs, side by side",
    look: "The same stack of ten boxes. Left: hard contact, nothing overlaps. Right: soft springs, 2,000 N/m, the stack sinks in and sways.",
    shows: "Two families of contact on the same scene: rigid with a certificate, and springs with dampers, integrated exponentially.",
    alone: [alone(beside, "hard"), alone([...beside, ...springs], "soft")],
    replays: [
      { title: "hard contact", args: beside, wish: "plots=overlap,energy,certificate" },
      { title: "springs, 2,000 N/m", args: [...beside, ...springs], wish: "plots=overlap,energy,certificate" },
    ],
  },
];
