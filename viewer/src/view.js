// The picture: stage, bodies of all runs, contacts of the run in front, selection and camera. Both
// replay and live view give it moments to show.
import { Color, Quaternion, Vector3 } from "three";
import { BodiesView } from "./bodies.js";
import { BonesView } from "./bones.js";
import { lowest, run_bounds, scene_bounds } from "./bounds.js";
import { run_colors, shape_colors } from "./colors.js";
import { ContactsView } from "./contacts.js";
import { BalanceView } from "./balance.js";
import { FramesView } from "./frames.js";
import { Ground, grid_spacing } from "./ground.js";
import { Stage } from "./stage.js";
import { TendonsView } from "./tendons.js";
import { TrailsView } from "./trails.js";

function up_of(scene) {
  const up = new Vector3().fromArray(scene.gravity ?? [0, 0, -9.81]).negate();
  return up.length() > 1e-9 ? up.normalize() : up.set(0, 0, 1);
}

export class View {
  /// `samples`: moments of the run that tell how much room it takes; `runs`: how many lie over each
  /// other.
  constructor(canvas, scene, theme, samples, runs, weight_impulse) {
    this.scene = scene;
    this.stage = new Stage(canvas, up_of(scene));
    const bounds = scene_bounds(scene, samples);
    const { radius } = bounds;
    this.size = radius;
    this.start_bounds = bounds;
    this.stage.resize();
    this.stage.frame(bounds);
    this.ground = new Ground(radius);
    this.colors = shape_colors(scene);
    this.bodies = Array.from({ length: runs }, (_, i) => this.make_bodies(i, runs));
    this.bones = Array.from({ length: runs }, (_, i) => this.make_bones(i, runs));
    this.contacts = new ContactsView(scene, radius, weight_impulse);
    this.stage.scene.add(this.contacts.group);
    this.overlays = {
      trails: new TrailsView(this.stage),
      frames: new FramesView(this.stage, scene, radius),
      balance: new BalanceView(this.stage, scene, radius),
      tendons: new TendonsView(this.stage, scene, radius),
    };
    if (!scene.shapes.some((s) => s.kind === "plane" || s.kind === "height_field")) {
      this.add_floor(samples);
    } else {
      this.stage.set_floor(this.highest_plane());
    }
    this.front = 0;
    this.hidden = new Set();
    this.followed = -1;
    this.collision = false;
    this.set_front(0);
    theme.on_change(() => {
      this.stage.apply_theme(theme.stage);
      this.ground.apply_theme(theme.stage);
    });
    // A new size empties the canvas, whatever changed it: plots, the window, or a frame around the page.
    this.resizing = new ResizeObserver(() => {
      this.stage.resize();
      this.on_resize?.();
    });
    this.resizing.observe(canvas.parentElement);
  }

  get grid() {
    return grid_spacing(this.size);
  }

  make_bodies(index, runs) {
    const bodies = new BodiesView(this.scene, this.colors, this.ground, {
      tint: runs > 1 ? new Color(run_colors[index % run_colors.length]) : null,
      tint_amount: runs > 1 ? 0.8 : 0,
      world: index === 0,
    });
    this.stage.scene.add(bodies.group);
    return bodies;
  }

  make_bones(index, runs) {
    const color = runs > 1 ? run_colors[index % run_colors.length] : undefined;
    const bones = new BonesView(this.scene, this.size, { color });
    this.stage.scene.add(bones.group);
    return bones;
  }

  /// A grid under scenes without ground, so that one sees where up is. Nothing touches it.
  add_floor(samples) {
    const up = this.stage.up;
    const plane = this.ground.make_plane(0, 0);
    const turn = new Quaternion().setFromUnitVectors(new Vector3(0, 0, 1), up);
    const at = up.clone().multiplyScalar(lowest(this.scene, samples, up) - 0.15 * this.size);
    plane.matrix.compose(at, turn, new Vector3(1, 1, 1));
    this.stage.scene.add(plane);
    this.stage.set_floor(at.dot(up));
  }

  /// Height along up of the highest endless plane of the world that is level; null if there is none.
  highest_plane() {
    const { up } = this.stage;
    const normal = new Vector3();
    const heights = this.scene.shapes
      .filter((s) => s.kind === "plane" && s.body < 0 && s.size[0] === 0 && s.size[1] === 0)
      .filter((s) => normal.set(0, 0, 1).applyQuaternion(new Quaternion(...s.quaternion)).dot(up) > 0.999)
      .map((s) => new Vector3(...s.position).dot(up));
    return heights.length > 0 ? Math.max(...heights) : null;
  }

  /// Looks from a preset of camera.js at what is shown now, with the room that the start took.
  look_from(preset, moment) {
    this.follow(-1);
    this.stage.frame(scene_bounds(this.scene, [moment]), preset);
  }

  reset_view() {
    this.follow(-1);
    this.stage.frame(this.start_bounds);
  }

  /// All that bodies pass during the moments, from the direction that the camera has.
  fit(moments) {
    this.follow(-1);
    this.stage.frame_as_seen(run_bounds(this.scene, moments));
  }

  /// Which run is solid; the others are ghosts.
  set_front(index) {
    this.front = index;
    if (this.bodies.length > 1) {
      this.bodies.forEach((b, i) => b.set_style({ opacity: i === index ? 1 : ghost }));
      this.bones.forEach((b, i) => b.set_opacity(i === index ? 1 : ghost));
    }
  }

  set_hidden(index, hidden) {
    if (hidden) {
      this.hidden.add(index);
    } else {
      this.hidden.delete(index);
    }
    this.bones[index].group.visible = !hidden && !this.collision;
    // The first run carries the world, which stays.
    this.bodies[index].group.children.forEach((child) => {
      const { batch } = child.userData;
      child.visible = !hidden || !batch || !batch.moves;
    });
  }

  set_collision(collision) {
    this.collision = collision;
    this.bodies.forEach((bodies, i) => {
      bodies.set_collision(collision);
      this.set_hidden(i, this.hidden.has(i));
    });
  }

  follow(body) {
    this.followed = body;
    this.stage.stop_following();
  }

  /// Draws one moment per run.
  show(moments) {
    for (let i = 0; i < moments.length; ++i) {
      this.bodies[i].update(moments[i]);
      this.bones[i].update(moments[i]);
    }
    this.contacts.update(moments[this.front]);
    for (const overlay of Object.values(this.overlays)) {
      overlay.update(moments[this.front]);
    }
    if (this.followed >= 0) {
      this.stage.follow(followed_point.fromArray(moments[this.front].positions, 3 * this.followed));
    }
    this.stage.render();
  }
}

const ghost = 0.32; // opacity of runs behind the one in front
const followed_point = new Vector3();
