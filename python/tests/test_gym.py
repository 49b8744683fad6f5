"""Every registered environment keeps Gymnasium's rules, and many are as one alone."""

import os
import pickle
import subprocess
import sys
import warnings

import numpy as np
import pytest
from gym_rules import check_single, check_vector_row, same

import stiction
from stiction import gym
from stiction.gym import compat

IDS = gym.ids()


@pytest.mark.parametrize("id", IDS)
def test_single_environments_keep_the_rules(id):
    env = gym.make(id)
    check_single(env, lambda: gym.make(id))
    env.close()
    env.close()


@pytest.mark.parametrize("id", IDS)
def test_every_render_mode_works(id):
    for mode in gym.make(id).metadata["render_modes"]:
        env = gym.make(id, render_mode=mode, width=48, height=32)
        env.reset(seed=1)
        env.step(env.action_space.sample())
        shown = env.render()
        if mode == "rgb_array":
            assert shown.shape == (32, 48, 3) and shown.dtype == np.uint8
            assert len(np.unique(shown.reshape(-1, 3), axis=0)) > 2
        else:
            assert shown.startswith("<!") and len(shown) > 100_000
    assert gym.make(id).render() is None
    assert gym.make(id).metadata["render_fps"] > 0


@pytest.mark.parametrize("id", IDS)
@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
def test_vector_environments_equal_single_ones_step_by_step(id, mode):
    count = 5
    env = gym.make_vec(id, num_envs=count, autoreset_mode=mode, threads=2, max_episode_steps=9)
    singles = [gym.make(id, max_episode_steps=9) for _ in range(count)]
    observations, _ = env.reset(seed=20)
    for i, single in enumerate(singles):
        assert same(single.reset(seed=20 + i)[0], observations[i])
    env.action_space.seed(4)
    ended = np.zeros(count, dtype=bool)
    for _ in range(22):
        actions = env.action_space.sample()
        row = env.step(actions)
        check_vector_row(env, row)
        observations, rewards, terminations, truncations, infos = row
        finals = np.zeros(count, dtype=bool)
        for i, single in enumerate(singles):
            if mode == "NextStep" and ended[i]:
                assert same(single.reset()[0], observations[i])
                assert rewards[i] == 0.0 and not terminations[i] and not truncations[i]
                ended[i] = False
                continue
            observation, reward, terminated, truncated, info = single.step(actions[i])
            assert reward == rewards[i]
            assert terminated == terminations[i] and truncated == truncations[i]
            ended[i] = terminated or truncated
            if mode == "SameStep" and ended[i]:
                assert same(observation, infos["final_obs"][i])
                for name, value in info.items():
                    assert same(np.asarray(value), np.asarray(infos["final_info"][name][i]))
                finals[i] = True
                observation, _ = single.reset()
            elif "frozen" in infos:
                for name, value in info.items():
                    assert same(np.asarray(value), np.asarray(infos[name][i]))
            assert same(observation, observations[i])
        if mode == "SameStep":
            assert np.array_equal(infos.get("_final_obs", np.zeros(count, bool)), finals)
            assert ("final_obs" in infos) == finals.any()


def test_without_autoreset_a_mask_chooses_who_begins_anew():
    env = gym.make_vec("Stiction/ChainSwingUp-v0", num_envs=4, autoreset_mode="Disabled",
                       max_episode_steps=3)
    env.reset(seed=1)
    zeros = np.zeros((4, 1), dtype=np.float32)
    for _ in range(3):
        observations, _, _, truncations, _ = env.step(zeros)
    assert truncations.all()
    mask = np.array([True, False, False, True])
    fresh, _ = env.reset(seed=[5, None, None, 6], options={"reset_mask": mask})
    assert same(fresh[1:3], observations[1:3]) and not same(fresh[0], observations[0])
    alone, _ = gym.make("Stiction/ChainSwingUp-v0").reset(seed=6)
    assert same(alone, fresh[3])
    _, _, _, truncations, _ = env.step(zeros)
    assert list(truncations) == [False, True, True, False]
    for wrong, kind in (([True] * 4, TypeError), (np.ones(3, bool), ValueError),
                        (np.zeros(4, bool), ValueError), (np.ones(4), TypeError)):
        with pytest.raises(kind, match="reset_mask"):
            env.reset(options={"reset_mask": wrong})


def test_observations_are_copies_unless_views_are_wanted():
    for copy in (True, False):
        env = gym.make_vec("Stiction/ChainSwingUp-v0", num_envs=3, copy=copy)
        first, _ = env.reset(seed=1)
        before = first.copy()
        second = env.step(np.ones((3, 1), dtype=np.float32))[0]
        assert np.shares_memory(first, second) == (not copy)
        assert np.array_equal(first, before) == copy


def test_a_checkpoint_goes_on_with_the_same_bits():
    env = gym.make_vec("Stiction/QuadrupedRough-v0", num_envs=4, autoreset_mode="SameStep",
                       max_episode_steps=7)
    env.reset(seed=3)
    env.action_space.seed(3)
    actions = [env.action_space.sample() for _ in range(25)]
    for action in actions[:10]:
        env.step(action)
    kept, copy = env.memory(), pickle.dumps(env)
    first = [env.step(action) for action in actions[10:]]
    env.remember(pickle.loads(pickle.dumps(kept)))
    second = [env.step(action) for action in actions[10:]]
    other = pickle.loads(copy)
    third = [other.step(action) for action in actions[10:]]
    for a, b, c in zip(first, second, third):
        assert all(same(x, y) and same(x, z) for x, y, z in zip(a, b, c))


def test_one_that_diverges_ends_alone_and_says_so():
    env = gym.make_vec("Stiction/QuadrupedFlat-v0", num_envs=3, autoreset_mode="SameStep")
    env.reset(seed=1)
    env.task.batch.joint_forces[1, 3] = np.inf
    zeros = np.zeros((3, 12), dtype=np.float32)
    observations, rewards, terminations, truncations, infos = env.step(zeros)
    assert list(terminations) == [False, True, False] and not truncations.any()
    assert rewards[1] == 0.0 and np.isfinite(observations).all()
    assert list(infos["final_info"]["frozen"]) == [False, True, False]
    terminations = env.step(zeros)[2]
    assert not terminations.any()


@pytest.mark.parametrize(
    "mistake, kind, told",
    [
        (lambda: gym.make("Stiction/Nothing-v0"), ValueError, "choose from"),
        (lambda: gym.make("Stiction/QuadrupedFlat-v0", render_mode="human"), ValueError, "rgb"),
        (lambda: gym.make("Stiction/QuadrupedFlat-v0", command=[1.0]), ValueError, "three"),
        (lambda: gym.make("Stiction/QuadrupedFlat-v0", comand=[1.0]), TypeError, "comand"),
        (lambda: gym.make("Stiction/QuadrupedFlat-v0", time_step=0.003), ValueError, "multiple"),
        (lambda: gym.make("Stiction/ChainSwingUp-v0", links=99), ValueError, "1 to 10"),
        (lambda: gym.make_vec("Stiction/ChainSwingUp-v0", 0), ValueError, "from 1 up"),
        (lambda: gym.make_vec("Stiction/ChainSwingUp-v0", 2, autoreset_mode="Never"), ValueError,
         "SameStep"),
        (lambda: gym.make_vec("Stiction/ChainSwingUp-v0", 2, max_episode_steps=0), ValueError,
         "max_episode_steps"),
        (lambda: gym.make("Stiction/ChainSwingUp-v0").step([0.0]), RuntimeError, "reset()"),
        (lambda: started().step([0.0, 1.0]), ValueError, "shape"),
        (lambda: started().step([np.nan]), ValueError, "finite"),
        (lambda: started().reset(seed=-1), ValueError, "seed"),
        (lambda: started().reset(seed="x"), ValueError, "seed"),
        (lambda: gym.make_vec("Stiction/ChainSwingUp-v0", 2).reset(seed=[1]), ValueError, "1 seeds"),
        (lambda: gym.register("Stiction/ChainSwingUp-v0", gym.Task), ValueError, "already"),
    ],
)
def test_mistakes_are_exceptions_with_a_remedy(mistake, kind, told):
    with pytest.raises(kind) as error:
        mistake()
    assert told in str(error.value)


def started():
    env = gym.make("Stiction/ChainSwingUp-v0")
    env.reset(seed=1)
    return env


def test_actions_beyond_one_are_clipped():
    env = started()
    copy = pickle.loads(pickle.dumps(env))
    assert same(env.step([5.0])[0], copy.step([1.0])[0])


def test_the_hills_are_under_the_feet_and_seen():
    env = gym.make_vec("Stiction/QuadrupedRough-v0", num_envs=3, threads=1)
    observations, _ = env.reset(seed=2)
    heights = env.task.batch.heights
    assert np.isfinite(heights).all() and heights.std() > 0.01
    assert observations.shape == (3, 73)
    for _ in range(60):
        env.step(np.zeros((3, 12), dtype=np.float32))
    above = env.task.batch.q[:, 2] - env.task.ground_height()
    assert (above > 0.3).all() and (above < 0.6).all()


def test_a_closed_gripper_lifts_the_cube():
    env = gym.make("Stiction/GripperLift-v0")
    env.reset(seed=4)
    low = -0.85  # of the lift: the fingers just above the table
    for action in [[low, -1.0]] * 60 + [[low, 1.0]] * 40:
        env.step(action)
    # The cube is at rest in the hand, whose lift was at -0.07 m then.
    up = (float(env.task.wanted[0]) - 0.07 - 0.1) / 0.2
    for k in range(140):
        info = env.step([low + (up - low) * min(1.0, k / 70.0), 1.0])[4]
    assert info["lifted"] and info["slip"] < 1e-3


def test_the_chain_hangs_at_rest_and_the_motor_is_too_weak_to_lift_it():
    env = gym.make("Stiction/ChainSwingUp-v0")
    env.reset(seed=1)
    best = -1.0
    for _ in range(400):
        best = max(best, env.step([1.0])[4]["height"])
    assert best < 0.5


def test_romeo_stands_while_nobody_pushes_and_is_moved_by_pushes():
    drifts = []
    for id, kept in (("Stiction/HumanoidWalk-v0", {"speed": 0.0}), ("Stiction/HumanoidStand-v0", {})):
        env = gym.make(id, **kept)
        env.reset(seed=1)
        for _ in range(40):
            _, _, fell, _, _ = env.step(np.zeros(31))
        assert not fell
        drifts.append(float(np.abs(env.task.base_velocity).max()))
    assert drifts[1] > drifts[0]


def test_mirroring_exchanges_left_and_right_of_the_robot():
    env = gym.make_vec("Stiction/QuadrupedFlat-v0", num_envs=1, random_start=False)
    task = env.task
    env.reset(seed=1)
    seen, seen_signs, legs, leg_signs = task.mirror()
    task.commands[:] = [0.4, 0.2, -0.3]
    action = np.random.default_rng(2).uniform(-0.3, 0.3, size=(1, 12))
    first = [env.step(action)[0] for _ in range(5)]
    env.reset(seed=1)
    task.commands[:] = [0.4, -0.2, 0.3]
    second = [env.step(action[:, legs] * leg_signs)[0] for _ in range(5)]
    for a, b in zip(first, second):
        mirrored = a[:, seen] * seen_signs
        # The other legs swing half a stride later, when both numbers of the clock have turned.
        mirrored[:, 12:14] *= -1.0
        # Inertias of left and right differ in the last digits of the file.
        assert np.allclose(mirrored, b, atol=2e-3)
        assert np.allclose(np.hypot(a[:, 12], a[:, 13]), 1.0)


class Reach(gym.Task):
    """A user's own: an arm on a hinge points where it is told."""

    action_size = 1
    observation_size = 3
    control_interval = 0.01
    episode_seconds = 1.0

    def load(self):
        return stiction.load("pendulum", ground=False)

    def setup(self):
        self.goal = np.zeros(self.count)

    def start(self, environment, random):
        super().start(environment, random)
        self.goal[environment] = random.uniform(-1.0, 1.0)

    def act(self, actions):
        self.batch.joint_forces[:] = 20.0 * actions

    def observe(self):
        return np.stack([self.batch.q[:, 0], self.batch.v[:, 0], self.goal], axis=1)

    def reward(self, actions):
        return -np.abs(self.batch.q[:, 0] - self.goal)

    def terminated(self):
        return np.abs(self.batch.q[:, 0]) > 3.0


class Broken(Reach):
    def observe(self):
        return np.zeros((self.count, 2))


def test_a_user_s_own_task_keeps_the_rules():
    gym.register("Tests/Reach-v0", Reach)
    check_single(gym.make("Tests/Reach-v0"), lambda: gym.make("Tests/Reach-v0"))
    with pytest.raises(ValueError, match=r"Broken.observe\(\) gave"):
        gym.SingleEnv(Broken()).reset()


def test_with_a_gymnasium_its_classes_and_its_registry_are_used(tmp_path):
    (tmp_path / "gymnasium").mkdir()
    (tmp_path / "gymnasium" / "__init__.py").write_text(
        "from . import spaces, vector\n"
        "registered = {}\n"
        "class Env: pass\n"
        "def register(id, **keywords): registered[id] = keywords\n"
    )
    (tmp_path / "gymnasium" / "spaces.py").write_text(
        "import numpy as np\n"
        "class Box:\n"
        "    def __init__(self, low, high, shape=None, dtype=np.float32, seed=None):\n"
        "        self.low, self.high, self.shape, self.dtype = low, high, shape, dtype\n"
    )
    (tmp_path / "gymnasium" / "vector").mkdir()
    (tmp_path / "gymnasium" / "vector" / "__init__.py").write_text(
        "import enum\n"
        "class VectorEnv: pass\n"
        "class AutoresetMode(enum.Enum):\n"
        "    NEXT_STEP = 'NextStep'\n    SAME_STEP = 'SameStep'\n    DISABLED = 'Disabled'\n"
    )
    (tmp_path / "gymnasium" / "vector" / "utils.py").write_text(
        "def batch_space(space, n=1): return ('batch', space, n)\n"
    )
    script = (
        "import gymnasium, importlib\n"
        "from stiction import gym\n"
        "assert issubclass(gym.SingleEnv, gymnasium.Env)\n"
        "assert issubclass(gym.BatchEnv, gymnasium.vector.VectorEnv)\n"
        "assert sorted(gymnasium.registered) == gym.ids()\n"
        "given = gymnasium.registered['Stiction/ChainSwingUp-v0']\n"
        "where, what = given['entry_point'].split(':')\n"
        "env = getattr(importlib.import_module(where), what)(**given['kwargs'])\n"
        "assert isinstance(env.observation_space, gymnasium.spaces.Box)\n"
        "where, what = given['vector_entry_point'].split(':')\n"
        "make = getattr(importlib.import_module(where), what)\n"
        "envs = make(num_envs=3, max_episode_steps=5, **given['kwargs'])\n"
        "assert envs.observation_space[0] == 'batch' and envs.observation_space[2] == 3\n"
        "assert envs.metadata['autoreset_mode'] is gymnasium.vector.AutoresetMode.NEXT_STEP\n"
    )
    path = f"{tmp_path}{os.pathsep}{os.environ.get('PYTHONPATH', '')}"
    subprocess.run([sys.executable, "-c", script], check=True,
                   env={**os.environ, "PYTHONPATH": path})


if compat.HAS_GYMNASIUM:  # it is not in Debian 12

    @pytest.mark.parametrize("id", IDS)
    def test_gymnasium_s_own_check_passes_without_warnings(id):
        import gymnasium
        from gymnasium.utils.env_checker import check_env

        with warnings.catch_warnings():
            warnings.simplefilter("error")
            check_env(gymnasium.make(id).unwrapped)


def test_importing_stiction_does_not_import_gymnasium():
    script = "import sys, stiction; assert 'gymnasium' not in sys.modules"
    subprocess.run([sys.executable, "-c", script], check=True)


def reach(**methods):
    """Reach with other methods, or other numbers."""
    return type("Changed", (Reach,), methods)()


@pytest.mark.parametrize(
    "methods, error, told",
    [
        ({"reward": lambda t, a: np.zeros((4, 1))}, ValueError,
         r"Changed.reward\(\) gave \(4, 1\); give an array of the shape \(4,\)"),
        ({"reward": lambda t, a: 1.0}, ValueError, r"reward\(\) gave 1.0; give"),
        ({"reward": lambda t, a: None}, ValueError, r"reward\(\) gave None; give"),
        ({"reward": lambda t, a: np.array([0, 1, np.nan, 2])}, ValueError,
         r"reward\(\) .* not finite in environment 2"),
        ({"reward": lambda t, a: np.array(["a"] * 4)}, TypeError, r"reward\(\) gave .*numbers"),
        ({"reward": lambda t, a: np.full(4, 1j)}, TypeError, "complex"),
        ({"observe": lambda t: np.full((4, 3), np.nan)}, ValueError,
         r"observe\(\) .* not finite in environment 0"),
        ({"observe": lambda t: None}, ValueError, r"observe\(\) gave None"),
        ({"terminated": lambda t: np.zeros((4, 1), bool)}, ValueError,
         r"terminated\(\) gave \(4, 1\)"),
        ({"terminated": lambda t: False}, ValueError, r"terminated\(\) gave False"),
        ({"terminated": lambda t: np.zeros(4)}, TypeError, r"terminated\(\) .*float64.* bool"),
        ({"info": lambda t: {"goal": 3}}, ValueError, r"info\(\)\['goal'\]"),
        ({"info": lambda t: {"goal": np.zeros(3)}}, ValueError, "4 rows"),
        ({"act": gym.Task.act}, NotImplementedError, r"Changed has no act\(\); fill it in"),
        ({"load": gym.Task.load}, NotImplementedError, r"Changed has no load\(\)"),
    ],
)
def test_what_a_task_gives_is_checked_in_the_first_step(methods, error, told):
    with pytest.raises(error, match=told):
        env = gym.BatchEnv(reach(**methods), 4)
        env.reset(seed=1)
        env.step(np.zeros((4, 1)))


def test_an_environment_that_cannot_go_on_has_finite_numbers():
    env = gym.BatchEnv(reach(reward=lambda t, a: t.batch.q[:, 0] * 1.0), 3)
    env.reset(seed=1)
    env.task.batch.q[1] = np.nan
    observations, rewards, terminations, _, infos = env.step(np.zeros((3, 1)))
    assert infos["frozen"].tolist() == terminations.tolist() == [False, True, False]
    assert np.isfinite(observations).all() and rewards[1] == 0.0


def test_a_task_belongs_to_one_environment():
    task = Reach()
    first = gym.BatchEnv(task, 2)
    for make in (lambda: gym.BatchEnv(task, 2), lambda: gym.SingleEnv(task)):
        with pytest.raises(ValueError, match="another environment runs this Reach already"):
            make()
    assert len(first.task.batch) == 2
    with pytest.raises(TypeError, match=r"give a task: Reach\(\)"):
        gym.BatchEnv(Reach, 2)
    with pytest.raises(TypeError, match="str is no task"):
        gym.SingleEnv("Reach")


def test_arguments_of_environments_are_refused_by_name():
    env = gym.BatchEnv(Reach(), 2)
    for options in ({"mask": np.array([True, False])}, {"reset_masks": None}):
        with pytest.raises(ValueError, match=f"no option {list(options)[0]!r}.*reset_mask"):
            env.reset(options=options)
    with pytest.raises(ValueError, match="no options, and so no 'mask'"):
        gym.SingleEnv(Reach()).reset(options={"mask": 1})
    env.reset(seed=1)
    for actions in ([["a"], ["b"]], np.full((2, 1), 1j)):
        with pytest.raises(TypeError, match="real numbers"):
            env.step(actions)
    for seed in ([0, -1], [0, "b"], "ab", 1.5):
        with pytest.raises(ValueError, match="seed is"):
            env.reset(seed=seed)
    for keywords in ({"num_envs": 2.5}, {"num_envs": 0}, {"autoreset_mode": None}, {"width": 0},
                     {"max_episode_steps": 1.5}):
        with pytest.raises(ValueError, match="give a whole number from 1 up|choose from NextStep"):
            gym.BatchEnv(Reach(), **keywords)
    with pytest.raises(ValueError, match="no memory of a BatchEnv"):
        env.remember({})
    with pytest.raises(ValueError, match="of 2 environments, not of 3"):
        gym.BatchEnv(Reach(), 3).remember({"core": env.memory()["core"], "ended": np.zeros(3)})


class Counting(Reach):
    """Remembers more than arrays."""

    def setup(self):
        super().setup()
        self.total, self.seen, self.names = 0, [], ("a", "b")

    def act(self, actions):
        super().act(actions)
        self.total += 1
        self.seen.append(float(actions[0, 0]))


def test_checkpoints_keep_numbers_and_lists_of_a_task():
    env = gym.BatchEnv(Counting(), 2)
    env.reset(seed=1)
    before = pickle.dumps(env.memory())
    env.step(np.full((2, 1), 0.25))
    memory = pickle.loads(pickle.dumps(env.memory()))
    other = pickle.loads(pickle.dumps(env))
    assert other.task.total == 1 and other.task.seen == [0.25]
    env.step(np.full((2, 1), 0.5))
    assert memory["core"]["task"]["values"]["seen"] == [0.25]
    env.remember(memory)
    assert env.task.total == 1 and env.task.seen == [0.25]
    env.remember(pickle.loads(before))
    assert env.task.total == 0 and env.task.seen == []


def test_a_generator_that_checkpoints_leave_out_is_told():
    class Drawing(Reach):
        def setup(self):
            super().setup()
            self.random = np.random.default_rng(1)

    with pytest.warns(UserWarning, match="Drawing.random is a generator"):
        gym.BatchEnv(Drawing(), 2)
