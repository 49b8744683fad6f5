"""Training resumes with the same bits, and policies act the same in Python and in the program."""

import csv
import json
import os
import pathlib
import subprocess
import sys

import numpy as np
import pytest

import stiction
from stiction import gym
from stiction.gym.policy import Policy, save_policy
from stiction.gym.tasks import QuadrupedFlat

PROGRAM = os.environ.get("STICTION_PROGRAM", "")
EXAMPLES = pathlib.Path(__file__).parents[2] / "examples" / "python"


@pytest.fixture
def policy_file(tmp_path):
    """Of a network that moves the legs a little."""
    random = np.random.default_rng(3)
    env = gym.make("Stiction/QuadrupedFlat-v0")
    sizes = (38, 16, 12)
    layers = [
        (0.3 * random.normal(size=(sizes[k + 1], sizes[k])), 0.1 * random.normal(size=sizes[k + 1]))
        for k in range(2)
    ]
    file = tmp_path / "policy.json"
    save_policy(file, env.task, [(0.3 * w, 0.3 * b) for w, b in layers])
    return file


def test_the_program_runs_a_policy_as_the_environment_does(policy_file, tmp_path):
    command = (0.4, -0.1, 0.2)
    table = tmp_path / "run.csv"
    subprocess.run(
        [PROGRAM, "simulate", "anymal_lumped", "--step", "0.005", "--duration", "1",
         "--control", f"policy:{policy_file}", "--command", ",".join(map(str, command)),
         "--csv", table, "--record-every", "4", "--quiet"],
        check=True,
    )
    env = gym.make("Stiction/QuadrupedFlat-v0", command=command, random_start=False)
    policy = Policy(policy_file)
    observation, _ = env.reset(seed=0)
    with open(table) as lines:
        rows = list(csv.reader(lines))[1:]
    assert len(rows) == 51
    moved = 0.0
    for row in rows:
        expected = np.array([float(cell) for cell in row[1:20]])
        # The environment rounds observations to 32 bits, which contacts amplify.
        assert np.allclose(expected, env.task.batch.q[0], atol=1e-4)
        moved = max(moved, float(np.abs(expected - env.task.start_state.q).max()))
        observation, _, _, _, _ = env.step(policy(observation))
    assert moved > 0.02


def test_rollouts_of_a_policy_are_the_same_for_any_threads(policy_file, tmp_path):
    written = []
    for threads in ("1", "2"):
        folder = tmp_path / threads
        subprocess.run(
            [PROGRAM, "rollout", "anymal_lumped", "--step", "0.005", "--count", "3",
             "--duration", "0.4", "--control", f"policy:{policy_file}", "--command", "0.5,0,0",
             "--randomise", "joint_position=0.05", "--threads", threads, "--out", folder,
             "--quiet"],
            check=True,
        )
        written.append((folder / "data" / "episodes_00000.hdf5").read_bytes())
    assert written[0] == written[1]


@pytest.mark.parametrize(
    "change, told",
    [
        (lambda d: d.update(format="other"), "format"),
        (lambda d: d.pop("layers"), "layers"),
        (lambda d: d.update(joints=["nobody"] * 12), "nobody"),
        (lambda d: d["layers"].pop(), "fits no robot"),
        (lambda d: d["layers"][0]["weights"].pop(), "rows of weights"),
        (lambda d: d["layers"][0]["biases"].__setitem__(0, "x"), "no policy"),
        (lambda d: d.update(control_interval=0.0), "out of range"),
        (lambda d: d.update(pose=[0.0]), "fits no robot"),
    ],
)
def test_the_program_refuses_files_that_are_no_policy(policy_file, change, told):
    document = json.loads(policy_file.read_text())
    change(document)
    policy_file.write_text(json.dumps(document))
    run = subprocess.run(
        [PROGRAM, "simulate", "anymal_lumped", "--duration", "0.1", "--control",
         f"policy:{policy_file}", "--quiet"], capture_output=True, text=True)
    assert run.returncode == 1 and told in run.stderr and str(policy_file) in run.stderr


def test_options_that_do_not_belong_to_a_policy_are_refused(policy_file):
    for arguments, told in (
        (["--command", "1,0,0"], "policy:FILE"),
        (["--control", f"policy:{policy_file}", "--kp", "3"], "--kp"),
        (["--control", "policy:/no/such.json"], "such.json"),
        (["--control", f"policy:{policy_file}", "--command", "1,0"], "--command"),
    ):
        run = subprocess.run([PROGRAM, "simulate", "anymal_lumped", "--duration", "0.1", "--quiet",
                              *arguments], capture_output=True, text=True)
        assert run.returncode != 0 and told in run.stderr


@pytest.mark.parametrize(
    "layers, told",
    [
        ([(np.zeros((12, 37)), np.zeros(12))], r"\(12, 38\)"),
        ([(np.zeros((11, 38)), np.zeros(11))], "12"),
        ([(np.full((12, 38), np.nan), np.zeros(12))], "finite"),
    ],
)
def test_layers_that_do_not_fit_are_not_written(layers, told, tmp_path):
    task = gym.make("Stiction/QuadrupedFlat-v0").task
    with pytest.raises(ValueError, match=told):
        save_policy(tmp_path / "policy.json", task, layers)
    assert not (tmp_path / "policy.json").exists()


@pytest.fixture
def ppo():
    pytest.importorskip("torch", reason="torch is not installed (Debian: python3-torch)")
    sys.path.insert(0, str(EXAMPLES))
    try:
        import ppo

        yield ppo
    finally:
        sys.path.remove(str(EXAMPLES))


def small(ppo, seed=5):
    import torch

    torch.set_num_threads(1)
    env = gym.make_vec("Stiction/QuadrupedFlat-v0", num_envs=6, autoreset_mode="SameStep",
                       threads=1)
    return ppo.Ppo(env, seed, ppo.Options(steps=6, hidden=(8, 8), minibatches=2),
                   QuadrupedFlat.mirror())


def weights(learner):
    return b"".join(p.detach().numpy().tobytes() for p in learner.agent.parameters())


def test_resumed_training_has_the_same_bits(ppo, tmp_path):
    learner = small(ppo)
    learner.learn()
    learner.save(tmp_path / "checkpoint.pt")
    for _ in range(2):
        learner.learn()
    other = small(ppo, seed=99)
    other.load(tmp_path / "checkpoint.pt")
    for _ in range(2):
        other.learn()
    assert weights(other) == weights(learner) and other.iteration == 3
    again = small(ppo)
    for _ in range(3):
        again.learn()
    assert weights(again) == weights(learner)


def test_learning_raises_the_reward_of_a_small_task(ppo):
    env = gym.make_vec("Stiction/ChainSwingUp-v0", num_envs=32, autoreset_mode="SameStep", links=1,
                       threads=1)
    learner = ppo.Ppo(env, 1, ppo.Options(steps=32, hidden=(16, 16)))
    rewards = [learner.learn()["reward"] for _ in range(25)]
    assert np.mean(rewards[-5:]) > 1.3 * np.mean(rewards[:5])


def test_a_written_policy_answers_as_the_network_did(ppo, tmp_path):
    learner = small(ppo)
    learner.learn()
    save_policy(tmp_path / "policy.json", learner.env.task, learner.layers())
    observations = np.random.default_rng(1).normal(size=(20, 38)).astype(np.float32)
    wanted = learner.policy()(observations)
    found = np.array([Policy(tmp_path / "policy.json")(row) for row in observations])
    assert np.allclose(found, wanted, atol=1e-6)


def test_the_command_writes_everything(ppo, tmp_path):
    run = subprocess.run(
        [sys.executable, EXAMPLES / "train_quadruped.py", "--out", tmp_path, "--iterations", "2",
         "--envs", "4", "--threads", "1", "--check-seconds", "0.3"],
        capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    for name in ("policy.json", "curve.svg", "curve.csv", "gait.html", "checkpoint.pt"):
        assert (tmp_path / name).stat().st_size > 100, name
    assert "of 10 commands followed" in run.stdout


class Blind(gym.Task):
    action_size, observation_size = 12, 3

    def load(self):
        return stiction.load("anymal_lumped")

    def observe(self):
        return np.zeros((self.count, 3))


class Swapped(stiction.gym.tasks.QuadrupedFlat):
    """Sees its joints in another order."""

    def observe(self):
        seen = super().observe()
        seen[:, 14:26] = seen[:, 25:13:-1]
        return seen


@pytest.mark.parametrize(
    "kind, told",
    [
        (Blind, "Blind has no joints, default, stiffness"),
        (stiction.gym.tasks.QuadrupedRough, r"73 numbers instead of 14 \+ 2 × 12"),
        (stiction.gym.tasks.QuadrupedRecover, "no command_scale, stride"),
        (stiction.gym.tasks.HumanoidStand, "no command_scale, stride"),
        (stiction.gym.tasks.GripperLift, "has no joints"),
        (Swapped, "something else as number 1[4-9]"),
    ],
)
def test_a_policy_that_the_program_cannot_run_is_not_written(kind, told, tmp_path):
    task = kind()
    env = gym.BatchEnv(task, 2)
    env.reset(seed=2)
    layers = [(np.zeros((task.action_size, task.observation_size)), np.zeros(task.action_size))]
    with pytest.raises(ValueError, match=told):
        save_policy(tmp_path / "policy.json", task, layers)
    assert not (tmp_path / "policy.json").exists()


def test_a_task_that_no_environment_runs_is_not_written(tmp_path):
    with pytest.raises(ValueError, match="an environment must run the task"):
        save_policy(tmp_path / "policy.json", stiction.gym.tasks.QuadrupedFlat(), [])


def test_a_policy_file_without_a_stride_says_so(policy_file):
    document = json.loads(policy_file.read_text())
    del document["stride"]
    policy_file.write_text(json.dumps(document))
    run = subprocess.run([PROGRAM, "simulate", "anymal_lumped", "--duration", "0.1", "--quiet",
                          "--control", f"policy:{policy_file}"], capture_output=True, text=True)
    assert run.returncode != 0 and "no 'stride'" in run.stderr


def test_the_learner_refuses_an_environment_that_resets_late(ppo):
    with pytest.raises(ValueError, match="autoreset_mode='SameStep'"):
        ppo.Ppo(gym.make_vec("Stiction/ChainSwingUp-v0", num_envs=2))
