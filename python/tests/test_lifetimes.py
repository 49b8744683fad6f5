"""Nothing that Python holds shows memory that is gone, and no object works in two threads or in two
processes at once."""

import copy
import gc
import os
import pickle
import threading
import time
import warnings

import numpy as np
import pytest

import stiction


@pytest.fixture
def standing():
    simulation = stiction.Simulation(stiction.load("quadruped_stand"))
    simulation.reset("stand")
    simulation.set_servos(400.0, 20.0)
    return simulation


def test_contacts_of_a_report_are_copies_that_later_steps_leave_alone(standing):
    standing.run(0.5)
    contacts = standing.report.contacts
    before = [(c.point.copy(), c.impulse.copy(), c.mode) for c in contacts]
    standing.q[2] += 1.0
    standing.run(0.1)
    gc.collect()
    assert len(standing.report.contacts) != len(contacts)
    for contact, (point, impulse, mode) in zip(contacts, before):
        assert np.array_equal(contact.point, point)
        assert np.array_equal(contact.impulse, impulse) and contact.mode == mode


def test_a_copied_report_stays_and_the_other_shows_the_last_step(standing):
    first = standing.run(0.5)
    kept = copy.copy(first)
    assert repr(kept) == repr(first)
    standing.q[2] += 1.0
    assert standing.step() is first
    assert first.points.shape == (0, 3) and kept.points.shape == (4, 3)
    del standing, first
    gc.collect()
    assert kept.certificate.certified()


def test_a_report_keeps_its_simulation_alive(standing):
    report = stiction.Simulation(stiction.load("quadruped_stand")).run(0.1)
    gc.collect()
    assert report.ok and np.isfinite(report.impulses).all()


def test_arrays_of_a_state_are_never_replaced_behind_those_who_hold_them(standing):
    state = standing.state
    q = state.q
    state.q = q + 1.0
    assert np.array_equal(state.q, q)
    q[2] = 7.0
    assert state.q[2] == 7.0
    with pytest.raises(ValueError, match="19 entries; 3 were given"):
        state.q = np.zeros(3)
    with pytest.raises(ValueError, match="18 entries"):
        state.v = np.zeros(19)
    del state
    gc.collect()
    assert q[2] == 7.0


def test_models_outlive_what_was_made_of_them_and_the_other_way_round():
    model = stiction.load("anymal_lumped")
    batch = stiction.Batch(model, 3, threads=1)
    simulation = stiction.Simulation(model)
    del model
    gc.collect()
    batch.step(5)
    simulation.run(0.01)
    last = batch.model
    del batch, simulation
    gc.collect()
    assert last.body_count == 13


def test_a_pickled_model_has_its_changes_and_the_same_bits(tmp_path):
    model = stiction.load("quadruped_stand")
    model.set_body_mass(model.body_names[0], 20.0)
    model.set_body_mass(model.body_names[0], 25.0)
    model.set_friction(0.4)
    model.set_joint_damping(model.joint_names[1], 0.3)
    model.gravity = [0.0, 0.1, -3.7]
    other = pickle.loads(pickle.dumps(model))
    runs = []
    for one in (model, other, copy.deepcopy(model)):
        simulation = stiction.Simulation(one)
        simulation.reset("stand")
        simulation.run(0.3)
        runs.append(simulation.state)
    assert runs[0] == runs[1] == runs[2]
    assert other.body_mass(other.body_names[0]) == 25.0

    text = '<mujoco><worldbody><body><joint/><geom size="1"/></body></worldbody></mujoco>'
    again = pickle.loads(pickle.dumps(stiction.load_text(text)))
    assert again.velocity_count == 1


def test_a_pickled_model_whose_file_has_changed_is_refused(tmp_path):
    file = tmp_path / "ball.xml"
    text = '<mujoco><worldbody><body><joint/><geom size="{}"/></body></worldbody></mujoco>'
    file.write_text(text.format(1.0))
    kept = pickle.dumps(stiction.load(file))
    file.write_text(text.format(2.0))
    with pytest.raises(ValueError, match="ball.xml has changed"):
        pickle.loads(kept)
    file.unlink()
    with pytest.raises(stiction.InputError):
        pickle.loads(kept)


def hinges(robot="arm", upper="upper", lower="lower", mass=1.0):
    return stiction.load_text(
        f"""<mujoco model="{robot}"><worldbody><body name="{upper}"><joint name="a"/>
        <geom size="0.1" mass="{mass}"/><body name="{lower}" pos="1 0 0"><joint name="b"/>
        <geom size="0.1"/></body></body></worldbody></mujoco>""")


@pytest.mark.parametrize(
    "other, told",
    [
        (hinges(robot="leg"), "it belongs to 'leg', but this is 'arm'"),
        (hinges(upper="lower", lower="upper"), "bodies or joints of 'arm' have other names"),
        (stiction.load("pendulum"), "it belongs to 'pendulum'"),
    ],
)
def test_a_state_of_another_model_is_refused(other, told):
    model = hinges()
    simulation = stiction.Simulation(model)
    batch = stiction.Batch(model, 2, threads=1)
    before = simulation.state
    state = other.initial_state()
    state.q[:] = 0.3
    takers = [
        lambda s: setattr(simulation, "state", s),
        lambda s: batch.set_state(1, s),
        stiction.PdController(model, 1.0, 0.1).torques,
        stiction.GravityCompensation(model).torques,
        stiction.InverseDynamics(model).torques,
        stiction.StateFeedback(model, 0.01, [0.0, 0.0], [0.0, 0.0], np.eye(4), np.eye(2)).torques,
    ]
    for take in takers:
        for one in (state, copy.copy(state), pickle.loads(pickle.dumps(state))):
            with pytest.raises(ValueError, match="a state of another model: " + told):
                take(one)
        take(before)
    assert simulation.state == before == batch.state(1) != state


def test_a_state_is_of_all_models_that_differ_in_numbers_alone():
    model = hinges()
    changed = copy.copy(model)
    changed.set_body_mass("upper", 3.0)
    changed.gravity = [0.0, 0.0, -1.0]
    alike = [model, changed, copy.deepcopy(model), pickle.loads(pickle.dumps(changed)), hinges(),
             hinges(mass=2.0)]
    for one in alike:
        simulation = stiction.Simulation(one)
        simulation.run(0.1)
        for state in (simulation.state, pickle.loads(pickle.dumps(simulation.state))):
            for two in alike:
                taker = stiction.Simulation(two)
                taker.state = state
                assert taker.state == state
                stiction.Batch(two, 1, threads=1).set_state(0, state)
    simulation = stiction.Simulation(model)
    before = simulation.state
    simulation.set_model(changed)
    simulation.state = before


@pytest.mark.parametrize("kept", [stiction.State, stiction.Model, stiction.ContactProblem])
def test_damaged_pickles_are_refused(kept):
    with pytest.raises((ValueError, TypeError, RuntimeError)):
        kept.__new__(kept).__setstate__((1, 2))


def test_other_threads_get_an_exception_and_never_a_torn_report(standing):
    stop = threading.Event()
    errors, read = set(), []

    def look():
        while not stop.is_set():
            for query in (lambda: standing.report.contacts, lambda: standing.state,
                          lambda: standing.counts, lambda: standing.sensors(),
                          lambda: standing.push("base", [0, 0, 1])):
                try:
                    read.append(query() is not None)
                except RuntimeError as error:
                    errors.add(str(error))
                except ValueError as error:  # the name of the body
                    read.append("body" in str(error))

    watcher = threading.Thread(target=look)
    watcher.start()
    for _ in range(40):
        try:
            standing.run(0.02)
        except RuntimeError as error:
            errors.add(str(error))
    stop.set()
    watcher.join()
    assert read and all("another thread" in text for text in errors)
    assert standing.report.ok


def test_a_batch_is_guarded_the_same_way():
    batch = stiction.Batch(stiction.load("anymal_lumped"), 64, threads=2)
    stop, errors, hashes = threading.Event(), set(), []

    def look():
        while not stop.is_set():
            for query in (batch.hash, lambda: batch.state(3), lambda: batch.counts,
                          lambda: batch.fault(1), lambda: batch.reset(mask=np.zeros(64, bool))):
                try:
                    hashes.append(query())
                except RuntimeError as error:
                    errors.add(str(error))

    watcher = threading.Thread(target=look)
    watcher.start()
    for _ in range(30):
        try:
            batch.step(5)
        except RuntimeError as error:
            errors.add(str(error))
    stop.set()
    watcher.join()
    assert hashes and all("another thread" in text for text in errors)


def test_a_forked_process_is_told_and_does_not_hang():
    batch = stiction.Batch(stiction.load("anymal_lumped"), 8, threads=2)
    batch.step(2)
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:  # only plain calls here: this is pytest's process, too
        try:
            batch.step(1)
            os.write(writing, b"stepped")
        except RuntimeError as error:
            os.write(writing, str(error).encode())
        del batch
        gc.collect()
        os.write(writing, b" deleted")
        os._exit(0)
    os.close(writing)
    os.waitpid(child, 0)
    told = os.read(reading, 1000).decode()
    os.close(reading)
    assert "before the process was forked" in told and told.endswith("deleted")
    batch.step(1)


def share_of_the_other_thread(work):
    """Processor time of this thread while another works, as a part of what the work takes. Waiting for
    Python's lock takes none."""
    used = []

    def timed():
        begin = time.thread_time()
        work()
        used.append(time.thread_time() - begin)

    worker = threading.Thread(target=timed)
    begin = time.thread_time()
    worker.start()
    while worker.is_alive():
        pass
    assert used[0] > 0.1, "too short to tell"
    return (time.thread_time() - begin) / used[0]


def test_the_other_thread_goes_on_while_one_steps():
    batch = stiction.Batch(stiction.load("anymal_lumped"), 256, threads=1)
    assert share_of_the_other_thread(lambda: batch.step(600)) > 0.25


def test_the_other_thread_goes_on_while_one_loads(tmp_path):
    points = np.random.default_rng(1).normal(size=(30000, 3))
    points /= np.linalg.norm(points, axis=1, keepdims=True)
    lines = [f"v {x} {y} {z}" for x, y, z in points]
    lines += [f"f {k} {k + 1} {k + 2}" for k in range(1, len(points), 3)]
    (tmp_path / "ball.obj").write_text("\n".join(lines))
    text = """<mujoco><asset><mesh name="ball" file="ball.obj"/></asset><worldbody><body><freejoint/>
        <inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/><geom type="mesh" mesh="ball" mass="0"/>
        </body></worldbody></mujoco>"""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        load = lambda: stiction.load_text(text, folder=tmp_path)
        assert share_of_the_other_thread(load) > 0.25


@pytest.mark.parametrize(
    "mask, kind",
    [
        (np.array([0, 2]), TypeError),
        (np.array([1.0, 0.0, 1.0, 1.0]), TypeError),
        (["yes", "no", "yes", "no"], TypeError),
        (np.zeros(0, dtype=bool), ValueError),
        (np.ones(5, dtype=bool), ValueError),
        (True, ValueError),
    ],
)
def test_a_mask_is_booleans_and_nothing_else(mask, kind):
    batch = stiction.Batch(stiction.load("anymal_lumped"), 4)
    before = batch.hash()
    with pytest.raises(kind, match="mask"):
        batch.step(1, mask=mask)
    with pytest.raises(kind, match="mask"):
        batch.reset(mask=mask)
    assert batch.hash() == before
    batch.step(1, mask=[True, False, True, False])
    assert list(batch.time > 0.0) == [True, False, True, False]


@pytest.mark.parametrize(
    "mistake, kind, told",
    [
        (lambda m: m.set_friction(0.5, "rubber"), ValueError, "rubber"),
        (lambda m: m.set_friction(float("nan")), ValueError, ""),
        (lambda m: m.set_body_mass("base", -1.0), ValueError, ""),
        (lambda m: m.set_body_mass("base", float("inf")), ValueError, ""),
        (lambda m: m.set_joint_damping("no_joint", 1.0), ValueError, "no_joint"),
        (lambda m: m.set_joint_damping("LF_HAA", -1.0), ValueError, ""),
        (lambda m: setattr(m, "gravity", [0, 0]), TypeError, ""),
        (lambda m: setattr(m, "gravity", [0, 0, float("nan")]), ValueError, ""),
        (lambda m: m.keyframe("sit"), ValueError, "sit"),
        (lambda m: m.joint_limits("nobody"), ValueError, "nobody"),
        (lambda m: stiction.Simulation("anymal"), TypeError, ""),
        (lambda m: stiction.Batch(m, 2.5), TypeError, ""),
        (lambda m: stiction.load(3), TypeError, ""),
        (lambda m: stiction.load("/"), stiction.InputError, ""),
    ],
)
def test_wrong_numbers_of_a_model_change_nothing(mistake, kind, told):
    model = stiction.load("anymal_lumped")
    before = pickle.dumps(model)
    with pytest.raises(kind) as error:
        mistake(model)
    assert told in str(error.value)
    assert pickle.dumps(model) == before
