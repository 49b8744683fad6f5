"""Simulations from Python have the bits of the program, and mistakes are told as exceptions."""

import copy
import csv
import gc
import os
import pathlib
import pickle
import subprocess
import threading
import warnings

import numpy as np
import pytest

import stiction

PROGRAM = os.environ.get("STICTION_PROGRAM", "")
REFERENCE = pathlib.Path(os.environ.get("STICTION_REFERENCE_DIR", "/nowhere"))


@pytest.fixture
def standing():
    simulation = stiction.Simulation(stiction.load("quadruped_stand"))
    simulation.reset("stand")
    return simulation


def test_states_are_those_of_the_program(tmp_path):
    table = tmp_path / "run.csv"
    subprocess.run(
        [PROGRAM, "simulate", "quadruped_stand", "--duration", "0.5", "--csv", table, "--quiet"],
        check=True,
    )
    simulation = stiction.Simulation(stiction.load("quadruped_stand"))
    simulation.reset("stand")
    # The program holds the pose by the position actuators of the file.
    names = simulation.model.actuator_names
    for k, name in enumerate(names):
        joint = [j for j in simulation.model.joint_names if j in name][0]
        simulation.control[k] = simulation.q[simulation.model.joint_position_index(joint)]
    with open(table) as lines:
        rows = list(csv.reader(lines))
    count = simulation.model.position_count
    for row in rows[1:]:
        assert [float(cell) for cell in row[1 : 1 + count]] == list(simulation.q)
        simulation.run(0.01)


def test_arrays_show_the_simulation_and_outlive_it(standing):
    q = standing.q
    before = q.copy()
    standing.run(0.1)
    assert not np.array_equal(q, before)
    q[0] = 5.0
    assert standing.state.q[0] == 5.0
    standing.reset("stand")
    assert np.array_equal(q, before)
    orphan = stiction.Simulation(stiction.load("quadruped_stand")).q
    gc.collect()
    assert orphan.shape == (19,) and np.isfinite(orphan).all()


def test_states_are_copied_compared_pickled_and_restored_bit_for_bit(standing, tmp_path):
    standing.run(0.2)
    state = standing.state
    other = pickle.loads(pickle.dumps(state))
    assert other == state and copy.deepcopy(state) == state and other.hash() == state.hash()
    standing.run(0.2)
    end = standing.state
    assert end != state
    standing.state = other
    standing.run(0.2)
    assert standing.state == end
    standing.save_state(str(tmp_path / "end.state"))
    standing.reset("stand")
    standing.load_state(str(tmp_path / "end.state"))
    assert standing.state == end


def test_contacts_carry_the_weight(standing):
    standing.set_servos(stiffness=400.0, damping=20.0)
    report = standing.run(3.0)
    assert report.ok and report.residual < 1e-8
    force = sum(
        (c.impulse if c.body_a < 0 else -c.impulse) for c in report.contacts
    ) / standing.time_step
    weight = -standing.model.total_mass * standing.model.gravity
    assert np.allclose(force, weight, atol=1e-6 * np.linalg.norm(weight))
    assert {c.mode for c in report.contacts} == {"stick"}


def test_dynamics_agree_with_each_other_and_with_newton():
    model = stiction.load("quadruped_stand")
    random = np.random.default_rng(1)
    q = model.keyframe("stand").q
    v, dv = random.normal(size=(2, model.velocity_count))
    matrix = stiction.mass_matrix(model, q)
    bias = stiction.bias_forces(model, q, v)
    tau = stiction.inverse_dynamics(model, q, v, dv)
    assert np.allclose(matrix, matrix.T) and np.linalg.eigvalsh(matrix).min() > 0.0
    assert np.allclose(matrix @ dv + bias, tau, atol=1e-9)
    assert np.allclose(stiction.forward_dynamics(model, q, v, tau), dv, atol=1e-9)
    kinetic, _ = stiction.energy(model, q, v)
    assert np.isclose(kinetic, 0.5 * v @ matrix @ v)
    assert np.isclose(matrix[0, 0], model.total_mass)
    foot = model.frame_names[-1]
    jacobian = stiction.frame_jacobian(model, q, foot)
    pose = stiction.frame_pose(model, q, foot)
    step = 1e-6
    moved = q.copy()
    moved[7] += step
    numeric = (stiction.frame_pose(model, moved, foot)[:3, 3] - pose[:3, 3]) / step
    assert np.allclose(jacobian[:3, 6], numeric, atol=1e-5)


def test_a_block_slides_as_coulomb_says():
    text = """<mujoco><worldbody><geom type="plane" size="9 9 1" friction="0.3"/>
      <body pos="0 0 0.1"><freejoint/><geom type="box" size="0.1 0.1 0.1" mass="1" friction="0.3"/>
      </body></worldbody></mujoco>"""
    simulation = stiction.Simulation(stiction.load_text(text), time_step=1e-3)
    simulation.v[0] = 1.0
    simulation.run(0.2)
    assert simulation.v[0] == pytest.approx(1.0 - 0.3 * 9.81 * 0.2, rel=1e-6)
    simulation.run(1.0)
    assert abs(simulation.v).max() < 1e-9


def test_numbers_of_a_model_are_changed_in_a_copy(standing):
    model = standing.model
    heavy = copy.copy(model)
    body = heavy.body_names[0]
    heavy.set_body_mass(body, 100.0)
    assert heavy.total_mass > model.total_mass
    standing.set_model(heavy)
    assert standing.model.total_mass == heavy.total_mass
    heavy.gravity = [0.0, 0.0, -1.62]
    assert model.gravity[2] == -9.81


@pytest.mark.parametrize(
    "mistake, kind, told",
    [
        (lambda s: stiction.load("no_such_robot.urdf"), stiction.InputError, "no_such_robot"),
        (lambda s: stiction.load_text("<mujoco><body/>"), stiction.InputError, ""),
        (lambda s: stiction.Simulation(s.model, time_stepp=1.0), TypeError, "time_step"),
        (lambda s: stiction.Simulation(s.model, time_step=-1.0), ValueError, "time_step"),
        (lambda s: stiction.Simulation(s.model, solver="hybird"), ValueError, "solver"),
        (lambda s: s.reset("stnd"), ValueError, "stnd"),
        (lambda s: s.push("nobody", [0, 0, 1]), ValueError, "nobody"),
        (lambda s: s.run(float("nan")), ValueError, "nan"),
        (lambda s: s.run(-1.0), ValueError, "-1"),
        (lambda s: s.q.__setitem__(slice(None), np.zeros(3)), ValueError, "broadcast"),
        (lambda s: setattr(s, "state", stiction.load("pendulum").initial_state()), ValueError,
         "a state of another model"),
        (lambda s: stiction.mass_matrix(s.model, np.zeros(3)), ValueError, "give 19"),
        (lambda s: stiction.mass_matrix(s.model, np.full(19, np.nan)), ValueError, "finite"),
        (lambda s: stiction.frame_pose(s.model, s.q, "nose"), ValueError, "nose"),
        (lambda s: stiction.mass_matrix(s.model, np.zeros(19)), ValueError, "unit length"),
        (lambda s: s.html(), ValueError, "record()"),
        (lambda s: s.load_state("/no/such.state"), stiction.InputError, "such.state"),
        (lambda s: s.set_servos(-1.0, 1.0), ValueError, "gains"),
        (lambda s: s.set_servos(1.0, 1.0, joints=["root"]), ValueError, "root"),
    ],
)
def test_mistakes_are_exceptions_with_a_remedy(standing, mistake, kind, told):
    before = standing.state
    with pytest.raises(kind) as error:
        mistake(standing)
    assert told in str(error.value)
    assert standing.state == before


def test_a_step_that_is_refused_says_why(standing):
    standing.v[7] = np.nan
    before = standing.state
    report = standing.step()
    assert not report.ok and report.status == "refused" and "joint" in report.message
    assert standing.state.hash() == before.hash()


def test_two_threads_cannot_step_one_simulation(standing):
    errors = []

    def work():
        for _ in range(300):
            try:
                standing.run(0.01)
            except RuntimeError as error:
                errors.append(str(error))

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert np.isfinite(standing.q).all()
    assert all("another thread" in text for text in errors)


def test_the_page_shows_what_was_recorded(standing, tmp_path):
    standing.record()
    standing.run(0.5)
    page = tmp_path / "run.html"
    stiction.show(standing, file=str(page))
    text = page.read_text()
    assert text.startswith("<!") and "quadruped_stand" in text and len(text) > 100_000
    standing.run(0.5)
    assert len(standing.html()) > len(text)


def test_robots_of_others_stand_or_hold():
    robots = REFERENCE / "menagerie"
    if not robots.exists():
        pytest.skip(f"the published robots are not in {robots}")
    for name in ("unitree_go1", "unitree_h1", "skydio_x2", "robotiq_2f85"):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = stiction.load(str(robots / name / "scene.xml"))
        simulation = stiction.Simulation(model)
        if model.keyframe_names:
            simulation.reset(model.keyframe_names[0])
        assert simulation.run(1.0).ok, name
        assert simulation.counts["not_certified"] == 0, name


#: Floats; its first and its third link overlap by 20 mm, and a joint lets them part.
OVERLAPPING = """<robot name="folded">
  <link name="trunk"><inertial><mass value="2"/>
    <inertia ixx="0.02" iyy="0.02" izz="0.02" ixy="0" ixz="0" iyz="0"/></inertial>
    <collision><geometry><sphere radius="0.1"/></geometry></collision></link>
  <link name="upper"><inertial><mass value="0.5"/>
    <inertia ixx="0.002" iyy="0.002" izz="0.002" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="lower"><inertial><mass value="0.5"/>
    <inertia ixx="0.002" iyy="0.002" izz="0.002" ixy="0" ixz="0" iyz="0"/></inertial>
    <collision><geometry><sphere radius="0.05"/></geometry></collision></link>
  <joint name="hip" type="revolute"><parent link="trunk"/><child link="upper"/>
    <origin xyz="0.05 0 0"/><axis xyz="0 1 0"/>
    <limit lower="-2" upper="2" effort="9" velocity="99"/></joint>
  <joint name="knee" type="revolute"><parent link="upper"/><child link="lower"/>
    <origin xyz="0.08 0 0"/><axis xyz="0 1 0"/>
    <limit lower="-2" upper="2" effort="9" velocity="99"/></joint>
</robot>"""


def table_of(file, tmp_path, *options):
    """Positions that the program finds without a controller."""
    table = tmp_path / "run.csv"
    run = subprocess.run([PROGRAM, "simulate", file, "--duration", "0.5", "--control", "zero",
                          "--csv", table, "--quiet", *options], capture_output=True, text=True)
    with open(table) as lines:
        return [[float(cell) for cell in row[1:10]] for row in list(csv.reader(lines))[1:]], run


@pytest.mark.parametrize("keep", [False, True])
def test_a_robot_that_overlaps_itself_has_the_physics_of_the_program(keep, tmp_path):
    file = tmp_path / "folded.urdf"
    file.write_text(OVERLAPPING)
    rows, run = table_of(file, tmp_path, *(["--keep-overlaps"] if keep else []))
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        model = stiction.load(file, keep_overlaps=keep)
        text = stiction.load_text(OVERLAPPING, keep_overlaps=keep)
    messages = [str(one.message) for one in told if "overlap" in str(one.message)]
    assert len(messages) == (0 if keep else 2) and ("overlap" in run.stderr) == (not keep)
    for message in messages:
        assert "'trunk' and 'lower' overlap by 20 mm" in message
        assert "keep_overlaps=True" in message and "disable_collisions" in message
    assert {one.filename for one in told} <= {__file__}
    assert len(rows) > 10
    batch = stiction.Batch(pickle.loads(pickle.dumps(model)), 2)
    for simulation in (stiction.Simulation(model), stiction.Simulation(text)):
        for row in rows:
            assert row == list(simulation.q)
            simulation.run(0.01)
    assert rows[0] == list(batch.q[1])
    for _ in rows:
        batch.step(round(0.01 / batch.time_step))
    assert np.array_equal(batch.q[1], simulation.q)


def test_a_floating_robot_starts_on_its_ground():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = stiction.load_text(OVERLAPPING)
        bare = stiction.load_text(OVERLAPPING, ground=False)
    assert "on_ground" in model.keyframe_names and not bare.keyframe_names
    on_ground = model.keyframe("on_ground")
    assert on_ground.q[2] == pytest.approx(0.1) and bare.initial_state().q[2] == 0.0
    simulation, batch = stiction.Simulation(model), stiction.Batch(model, 2)
    for _ in range(2):
        assert simulation.state == on_ground == model.initial_state()
        assert batch.state(0) == batch.state(1) == on_ground
        simulation.run(0.1)
        batch.step(10)
        simulation.reset()
        batch.reset()
    scene = stiction.load("quadruped_stand")  # has keyframes of its own
    assert stiction.Simulation(scene).state != scene.keyframe("stand")


def test_options_of_the_reader_are_those_of_the_program(tmp_path):
    srdf = tmp_path / "folded.srdf"
    srdf.write_text("""<robot name="folded">
      <disable_collisions link1="trunk" link2="lower" reason="Default"/>
      <group_state name="bent" group="all"><joint name="knee" value="0.5"/></group_state></robot>""")
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # what the SRDF file excludes needs no warning
        model = stiction.load_text(OVERLAPPING, srdf=srdf)
    assert model.keyframe_names == ["bent", "on_ground"]
    again = pickle.loads(pickle.dumps(model))
    assert again.keyframe("bent") == model.keyframe("bent")
    fixed = stiction.load_text(OVERLAPPING, base="fixed", ground=False, keep_overlaps=True)
    assert (fixed.position_count, model.position_count) == (2, 9)
    heavy = OVERLAPPING.replace('ixx="0.02" iyy="0.02" izz="0.02"',
                                'ixx="0.03" iyy="0.01" izz="0.01"')
    with pytest.raises(stiction.InputError):
        stiction.load_text(heavy, strict=True)
    with pytest.warns(UserWarning):
        stiction.load_text(heavy, keep_inertias=True)
    packages = tmp_path / "packages" / "parts"
    packages.mkdir(parents=True)
    (packages / "ball.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\n"
                                       "f 1 4 3\nf 2 3 4\n")
    mesh = OVERLAPPING.replace('<sphere radius="0.1"/>',
                               '<mesh filename="package://parts/ball.obj"/>')
    with pytest.raises(stiction.InputError):
        stiction.load_text(mesh)
    loaded = stiction.load_text(mesh, package_folders=[tmp_path / "packages"], keep_overlaps=True)
    assert loaded.position_count == 9
    with pytest.raises(ValueError, match="choose from automatic, floating, fixed"):
        stiction.load_text(OVERLAPPING, base="wheels")


def test_a_mistyped_name_gets_the_right_one():
    with pytest.raises(stiction.InputError, match="anymal"):
        stiction.load("anymall")
    assert {"anymal", "pendulum", "quadruped_stand"} <= set(stiction.model_names())
    assert stiction.model_names() == sorted(set(stiction.model_names()))


def test_copies_cannot_be_written_to_by_mistake(standing):
    standing.set_servos(100.0, 1.0)
    controller = stiction.PdController(standing.model, 10.0, 1.0)
    for array in (standing.servo_targets, standing.model.gravity, controller.q):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1.0


def test_arrays_that_are_assigned_are_written_in_place(standing):
    q = standing.q
    standing.q = np.arange(len(q))
    assert np.array_equal(q, np.arange(len(q)))
    standing.v += 0.5
    assert (standing.v == 0.5).all()
    with pytest.raises(ValueError, match="q has 19 entries; 3 were given"):
        standing.q = [1, 2, 3]


def test_objects_say_what_they_are_and_files_may_be_paths(standing, tmp_path):
    standing.save_state(tmp_path / "a.state")
    standing.load_state(tmp_path / "a.state")
    assert "quadruped_stand" in repr(standing) or "time 0 s" in repr(standing)
    assert "19 positions" in repr(standing.state)
    contact = standing.run(0.1).contacts[0]
    assert "stick" in repr(contact)
    model = standing.model
    assert model.body_name(-1) == "world" and model.body_name(0) == model.body_names[0]
    for body in (-2, model.body_count):
        with pytest.raises(ValueError, match="no body"):
            model.body_name(body)
