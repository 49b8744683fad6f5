"""A robot in a batch has the bits of that robot alone, and its misfortunes stay its own."""

import gc
import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import stiction


@pytest.fixture(scope="module")
def model():
    return stiction.load("anymal_lumped")


@pytest.mark.parametrize("threads", [1, 3])
def test_environments_equal_simulations(model, threads):
    batch = stiction.Batch(model, 5, threads=threads)
    batch.reset("stand", seed=3, joint_position=0.2, base_height=0.05, base_yaw=3.0)
    batch.set_servos(80.0, 2.0, keyframe="stand")
    starts = [batch.state(i) for i in range(5)]
    targets = batch.servo_targets + np.random.default_rng(2).uniform(-0.1, 0.1, (5, 12))
    batch.servo_targets[:] = targets
    batch.step(50)
    for i in range(5):
        alone = stiction.Simulation(model)
        alone.reset("stand")
        alone.set_servos(80.0, 2.0)
        alone.servo_targets = targets[i]
        alone.state = starts[i]
        for _ in range(50):
            alone.step()
        assert batch.state(i) == alone.state
        assert np.array_equal(batch.q[i], alone.q)


def test_arrays_have_a_row_per_environment_and_outlive_the_batch(model):
    batch = stiction.Batch(model, 7)
    assert len(batch) == 7
    assert batch.q.shape == (7, 19) and batch.v.shape == (7, 18)
    assert batch.control.shape == (7, model.actuator_count)
    assert batch.joint_forces.shape == (7, 18) and batch.time.shape == (7,)
    assert not batch.residual.flags.writeable and batch.q.flags.writeable
    batch.q[:, 2] += np.arange(7.0)
    assert batch.state(6).q[2] == batch.q[6, 2]
    orphan = batch.v
    del batch
    gc.collect()
    assert (orphan == 0.0).all()


def test_a_nan_freezes_its_own_robot_alone(model):
    def run(strike):
        batch = stiction.Batch(model, 6, threads=2)
        batch.reset("stand")
        batch.step(10)
        if strike:
            batch.joint_forces[4, 8] = np.nan
        batch.step(10)
        return batch

    ill, well = run(True), run(False)
    assert list(ill.frozen) == [False] * 4 + [True, False]
    assert "environment 4" in ill.fault(4) and ill.fault(0) == ""
    for i in (0, 1, 2, 3, 5):
        assert ill.state(i) == well.state(i)
    mask = np.zeros(6, dtype=bool)
    mask[4] = True
    ill.reset("stand", mask=mask)
    ill.step(20)
    assert not ill.frozen.any()


def test_masks_choose_who_steps(model):
    batch = stiction.Batch(model, 4)
    batch.step(3, mask=np.array([True, False, True, False]))
    assert list(batch.time > 0.0) == [True, False, True, False]


def test_feet_carry_each_robot_s_own_weight(model):
    batch = stiction.Batch(model, 3)
    factors = np.array([0.5, 1.0, 2.0])
    batch.scale_masses(factors)
    batch.reset("stand")
    batch.set_servos(2000.0, 40.0, keyframe="stand")
    batch.watch_bodies(model.body_names)
    batch.step(4000)
    weight = model.total_mass * 9.81 * factors
    assert np.allclose(batch.contact_force[:, :, 2].sum(axis=1), weight, rtol=1e-6)
    assert (batch.touching.sum(axis=1) == batch.contacts).all()
    assert batch.contact_slip.max() < 1e-9
    assert batch.counts["not_certified"] == 0


def test_height_scans_see_the_ground(model):
    batch = stiction.Batch(model, 2)
    batch.reset("stand")
    batch.set_height_scan(model.body_names[0], [[0.0, 0.0, 0.0], [1.0, 0.5, 0.0]])
    assert batch.heights.shape == (2, 2)
    assert np.allclose(batch.heights, 0.0)


def test_seeds_repeat_and_differ(model):
    def heights(seed):
        batch = stiction.Batch(model, 8)
        batch.reset("stand", seed=seed, base_height=0.2)
        return batch.q[:, 2].copy()

    assert np.array_equal(heights(1), heights(1))
    assert not np.array_equal(heights(1), heights(2))
    assert len(set(heights(1))) == 8


@pytest.mark.parametrize(
    "mistake, kind, told",
    [
        (lambda b, m: stiction.Batch(m, 0), ValueError, "give 1 to"),
        (lambda b, m: stiction.Batch(m, 2, threads=-1), ValueError, "threads"),
        (lambda b, m: stiction.Batch(m, 2, sped=1), TypeError, "sped"),
        (lambda b, m: b.step(0), ValueError, "substeps"),
        (lambda b, m: b.step(1, mask=np.ones(3, dtype=bool)), ValueError, "3 entries"),
        (lambda b, m: b.step(1, mask=np.ones((2, 2), dtype=bool)), ValueError, "dimension"),
        (lambda b, m: b.state(9), ValueError, "0 to 3"),
        (lambda b, m: b.reset("stnd"), ValueError, "stnd"),
        (lambda b, m: b.reset("stand", joint_positon=0.1), TypeError, "joint_positon"),
        (lambda b, m: b.reset("stand", base_yaw=float("nan")), ValueError, "base_yaw"),
        (lambda b, m: b.scale_masses([1.0, 2.0]), ValueError, "per environment"),
        (lambda b, m: b.scale_masses([1.0, 2.0, -1.0, 1.0]), ValueError, "positive"),
        (lambda b, m: b.watch_bodies(["nobody"]), ValueError, "nobody"),
        (lambda b, m: b.contact_force, ValueError, "watch_bodies"),
        (lambda b, m: b.q.__setitem__((0, 0), "x"), ValueError, "float"),
    ],
)
def test_mistakes_are_exceptions_with_a_remedy(model, mistake, kind, told):
    batch = stiction.Batch(model, 4)
    before = batch.hash()
    with pytest.raises(kind) as error:
        mistake(batch, model)
    assert told in str(error.value)
    assert batch.hash() == before


def test_what_arrays_show_is_not_replaced_behind_them(model):
    batch = stiction.Batch(model, 2)
    batch.set_servos(10.0, 1.0)
    targets = batch.servo_targets
    with pytest.raises(ValueError, match="called before"):
        batch.set_servos(10.0, 1.0, joints=[model.joint_names[1]])
    targets[:] = 0.5
    assert (batch.servo_targets == 0.5).all()


def test_two_threads_cannot_step_one_batch(model):
    batch = stiction.Batch(model, 64, threads=2)
    errors = []

    def work():
        for _ in range(50):
            try:
                batch.step(5)
            except RuntimeError as error:
                errors.append(str(error))

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all("another thread" in text for text in errors)
    assert not batch.frozen.any()


def test_a_long_call_is_asked_to_stop_now_and_then_with_the_same_bits():
    model = stiction.load("pendulum", ground=False)
    asked, alone = stiction.Batch(model, 3, threads=2), stiction.Batch(model, 3, threads=1)
    for batch in (asked, alone):
        batch.joint_forces[1] = 0.01
        batch.push(2, model.body_names[0], [0, 0, 0], [0, 0.02, 0.01])
    asked.step(15_000)  # in parts of 6,666
    stiction._stiction._time_steps(alone, 1, 15_000)  # at once
    assert asked.hash() == alone.hash() and asked.counts == alone.counts
    assert np.array_equal(asked.residual, alone.residual)
    assert np.array_equal(asked.iterations, alone.iterations)
    for batch in (asked, alone):  # the push is over
        batch.step(10)
    assert asked.hash() == alone.hash()


def test_ctrl_c_ends_a_long_call():
    script = (
        "import stiction\n"
        "batch = stiction.Batch(stiction.load('pendulum', ground=False), 2)\n"
        "batch.step(1)\n"
        "print('ready', flush=True)\n"
        "try:\n"
        "    batch.step(2**31 - 1)\n"
        "except KeyboardInterrupt:\n"
        "    assert 1 < batch.time[0] / batch.time_step < 2**30\n"
        "    assert batch.time[0] == batch.time[1] and not batch.frozen.any()\n"
        "    batch.step(1)\n"
        "    print('stopped')\n"
    )
    run = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True,
                           env=dict(os.environ))
    try:
        assert run.stdout.readline() == "ready\n"
        time.sleep(0.5)
        run.send_signal(signal.SIGINT)
        assert run.communicate(timeout=60)[0] == "stopped\n"
    finally:
        run.kill()


def test_a_call_that_was_refused_can_be_repeated(model):
    batch = stiction.Batch(model, 2)
    for wrong in (lambda: batch.set_height_scan("nobody", [[0, 0, 1]]),
                  lambda: batch.set_height_scan("base", [[0, 0, np.nan]]),
                  lambda: batch.set_height_scan("base", np.zeros((0, 3))),
                  lambda: batch.watch_bodies(["nobody"]), lambda: batch.watch_bodies([])):
        with pytest.raises(ValueError):
            wrong()
    batch.set_height_scan("base", [[0, 0, 1]])
    batch.watch_bodies(["LF_SHANK"])
    assert batch.heights.shape == (2, 1) and batch.touching.shape == (2, 1)


def test_numbers_of_a_reset_are_refused_by_name(model):
    batch = stiction.Batch(model, 2)
    for seed in (-1, 2**64, 1.5, "1", None):
        with pytest.raises(ValueError, match="seed is .*give a whole number"):
            batch.reset("stand", seed=seed)
    for spread in ([0.1] * 12, "much", None):
        with pytest.raises(TypeError, match="joint_position is one number"):
            batch.reset("stand", joint_position=spread)
    batch.reset("stand", seed=np.int64(3), joint_position=np.float64(0.1))
    first = batch.hash()
    batch.reset("stand", seed=3, joint_position=0.1)
    assert batch.hash() != first  # the second reset of each environment
    other = stiction.Batch(model, 2)
    other.reset("stand", seed=3, joint_position=0.1)
    assert other.hash() == first
