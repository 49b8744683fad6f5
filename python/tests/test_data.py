"""Data sets have Minari's layout, and work is shared out over ranks and workers."""

import json
import os
import pathlib
import subprocess
import sys

import numpy as np
import pytest

from stiction import gym

EXAMPLES = pathlib.Path(__file__).parents[2] / "examples" / "python"


def test_episodes_have_the_layout_of_minari(tmp_path):
    h5py = pytest.importorskip("h5py", reason="h5py is not installed (Debian: python3-h5py)")
    from stiction.gym.datasets import write_dataset

    def play(folder):
        env = gym.make_vec("Stiction/ChainSwingUp-v0", num_envs=3, autoreset_mode="SameStep",
                           max_episode_steps=7, threads=1)
        return write_dataset(folder, env, lambda seen: 3.0 * seen[:, :1], episodes=5, seed=4)

    file = play(tmp_path / "a")
    metadata = json.loads((tmp_path / "a" / "data" / "metadata.json").read_text())
    assert metadata["total_episodes"] == 5 and metadata["total_steps"] == 35
    assert metadata["data_format"] == "hdf5"
    assert json.loads(metadata["observation_space"])["shape"] == [6]
    with h5py.File(file) as data, h5py.File(play(tmp_path / "b")) as again:
        assert sorted(data) == [f"episode_{i}" for i in range(5)]
        for name, run in data.items():
            assert run["observations"].shape == (8, 6) and run["actions"].shape == (7, 1)
            assert run["rewards"].shape == (7,) and run.attrs["total_steps"] == 7
            assert list(run["truncations"]) == [False] * 6 + [True]
            assert not run["terminations"][:].any()
            assert abs(run["actions"][:]).max() <= 1.0
            for part in ("observations", "actions", "rewards"):
                assert np.array_equal(run[part], again[name][part])
        seeds = [data[f"episode_{i}"].attrs.get("seed") for i in range(5)]
        assert seeds == [4, 5, 6, None, None]
        # An episode is that of a single environment with its seed.
        alone = gym.make("Stiction/ChainSwingUp-v0", max_episode_steps=7)
        seen, _ = alone.reset(seed=5)
        run = data["episode_1"]
        for k in range(7):
            assert np.array_equal(run["observations"][k], seen)
            seen, reward, _, _, _ = alone.step(run["actions"][k])
            assert reward == run["rewards"][k]
        assert np.array_equal(run["observations"][7], seen)
    with pytest.raises(FileExistsError):
        play(tmp_path / "a")
    with pytest.raises(ValueError, match="SameStep"):
        env = gym.make_vec("Stiction/ChainSwingUp-v0", num_envs=2)
        write_dataset(tmp_path / "c", env, lambda seen: seen[:, :1], episodes=1)


def test_any_number_of_ranks_finds_the_same(tmp_path):
    pytest.importorskip("mpi4py", reason="mpi4py is not installed (Debian: python3-mpi4py)")
    command = [sys.executable, EXAMPLES / "ranks.py", "--generations", "3", "--population", "9"]
    alone = subprocess.run(command, capture_output=True, text=True)
    assert alone.returncode == 0, alone.stderr
    several = subprocess.run(
        ["mpirun", "--allow-run-as-root", "--oversubscribe", "-np", "3", *command],
        capture_output=True, text=True, env={**os.environ, "OMP_NUM_THREADS": "1"})
    assert several.returncode == 0, several.stderr
    assert alone.stdout == several.stdout and alone.stdout.count("generation") == 3


def test_a_sweep_loses_nothing_when_a_worker_is_killed():
    pytest.importorskip("distributed", reason="dask is not installed (Debian: python3-distributed)")
    run = subprocess.run([sys.executable, EXAMPLES / "sweep.py", "--kill"], capture_output=True,
                         text=True, timeout=120)
    assert run.returncode == 0, run.stderr
    assert "killed a worker" in run.stdout
    rows = [line for line in run.stdout.splitlines() if line.startswith("friction")]
    assert len(rows) == 25
    for row in rows:
        found, coulomb = row.split(": ")[1].replace("(Coulomb", "").rstrip(" m)").split(" m")
        assert abs(float(found) - float(coulomb)) < 0.01 * max(1.0, float(coulomb)), row
