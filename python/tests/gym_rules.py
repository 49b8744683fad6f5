"""Gymnasium's published rules for environments, as checks of our own: Gymnasium is not in Debian."""

import pickle

import numpy as np


def same(a, b):
    """Two infos or observations, bit for bit."""
    if isinstance(a, dict):
        return isinstance(b, dict) and a.keys() == b.keys() and all(same(a[k], b[k]) for k in a)
    if isinstance(a, np.ndarray) and a.dtype == object:
        return len(a) == len(b) and all(
            (x is None) == (y is None) and (x is None or same(x, y)) for x, y in zip(a, b)
        )
    if isinstance(a, np.ndarray):
        return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()
    return a == b


def check_single(env, make_again):
    """Spaces, types, seeds, options, rendering and pickling of a single environment."""
    for space in (env.observation_space, env.action_space):
        assert np.isfinite(space.low).all() and np.isfinite(space.high).all()
        assert (space.low < space.high).all()
    assert (env.action_space.low == -1.0).all() and (env.action_space.high == 1.0).all()

    observation, info = env.reset(seed=7)
    assert observation in env.observation_space and isinstance(info, dict)
    assert env.np_random_seed == 7
    drawn = env.np_random.bit_generator.state
    again, _ = env.reset(seed=7)
    assert same(observation, again) and env.np_random.bit_generator.state == drawn
    other, _ = env.reset(seed=8)
    assert not same(observation, other)
    env.reset(options={})
    env.reset()

    runs = []
    for one in (env, make_again()):
        one.action_space.seed(3)
        rows = [one.reset(seed=11)]
        for _ in range(20):
            row = one.step(one.action_space.sample())
            check_row(one, row)
            rows.append(row)
            if row[2] or row[3]:
                rows.append(one.reset())
        runs.append(rows)
        if one is not env:
            one.close()
            one.close()
    for a, b in zip(*runs):
        assert all(same(x, y) for x, y in zip(a, b))

    copy = pickle.loads(pickle.dumps(env))
    action = env.action_space.sample()
    for a, b in zip(env.step(action), copy.step(action)):
        assert same(a, b)
    for a, b in zip(env.reset(), copy.reset()):
        assert same(a, b)


def check_row(env, row):
    observation, reward, terminated, truncated, info = row
    assert observation in env.observation_space, observation
    assert type(reward) is float and np.isfinite(reward)
    assert type(terminated) is bool and type(truncated) is bool
    assert isinstance(info, dict)


def check_vector_row(env, row):
    observations, rewards, terminations, truncations, infos = row
    assert observations in env.observation_space
    assert rewards.dtype == np.float64 and rewards.shape == (env.num_envs,)
    assert np.isfinite(rewards).all()
    for flags in (terminations, truncations):
        assert flags.dtype == np.bool_ and flags.shape == (env.num_envs,)
    for name in infos:
        mask = infos.get("_" + name.lstrip("_"))
        assert mask is not None and mask.dtype == np.bool_ and mask.shape == (env.num_envs,)
