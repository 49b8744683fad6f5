"""Evolution strategies [Salimans et al. 2017] on several ranks: each has a batch of its own, only
returns are gathered, and all ranks compute the same next parameters.

    mpirun -np 4 ./run python examples/python/ranks.py
    python3 examples/python/ranks.py --generations 5      # one rank

Prints the mean return of each generation. The numbers do not depend on how many ranks there are.
"""

import argparse

import numpy as np
from mpi4py import MPI

from stiction.gym import make_vec


def returns_of(env, weights, seed):
    """One linear policy per environment; the sum of its rewards in an episode."""
    observations, _ = env.reset(seed=[seed] * env.num_envs)
    total = np.zeros(env.num_envs)
    for _ in range(env.core.most_steps):
        actions = np.tanh((weights * observations[:, None, :]).sum(axis=2))
        observations, rewards, _, _, _ = env.step(actions)
        total += rewards
    return total


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--population", type=int, default=64, help="policies in all")
    parser.add_argument("--generations", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    told = parser.parse_args()
    world = MPI.COMM_WORLD
    mine = range(world.rank, told.population, world.size)
    env = make_vec("Stiction/ChainSwingUp-v0", num_envs=max(1, len(mine)), links=1, threads=1,
                   autoreset_mode="Disabled", max_episode_steps=200)
    mean = np.zeros((1, 3))
    for generation in range(told.generations):
        # Everybody draws the noise of everybody, so that parameters need not be sent.
        random = np.random.default_rng([told.seed, generation])
        noise = random.normal(size=(told.population, *mean.shape))
        found = returns_of(env, mean + 0.3 * noise[list(mine)], told.seed) if mine else []
        returns = np.zeros(told.population)
        for rank, part in enumerate(world.allgather(found)):
            returns[rank :: world.size] = part
        ranks = returns.argsort().argsort() / (told.population - 1.0) - 0.5
        mean = mean + 0.6 * np.tensordot(ranks, noise, axes=1) / told.population * 4.0
        if world.rank == 0:
            print(f"generation {generation}: mean return {returns.mean():.6f}", flush=True)


if __name__ == "__main__":
    main()
