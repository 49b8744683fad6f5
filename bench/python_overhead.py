"""What Python costs beside C++, both in one run, in alternating blocks.

    ./run python bench/python_overhead.py

Prints for one robot the time of Simulation.step() above that of a loop in C++ (run()), and for a
batch the throughput, with targets written and states copied, as a part of that of C++ alone.
"""

import argparse
import statistics
import time

import numpy as np

import stiction
from stiction import _stiction


def standing(keyframe="stand"):
    simulation = stiction.Simulation(stiction.load("anymal_lumped"), time_step=1e-3)
    simulation.reset(keyframe)
    simulation.set_servos(100.0, 2.0)
    simulation.run(0.5)
    return simulation


def overhead_of_step(blocks, steps):
    """Median difference of neighbouring blocks [s], and time of a step in C++ [s]."""
    simulation = standing()
    step = simulation.step
    differences, alone = [], []
    for _ in range(blocks):
        begin = time.perf_counter()
        for _ in range(steps):
            step()
        middle = time.perf_counter()
        simulation.run(steps * simulation.time_step)
        end = time.perf_counter()
        differences.append(((middle - begin) - (end - middle)) / steps)
        alone.append((end - middle) / steps)
    return statistics.median(differences), statistics.median(alone)


def share_of_batch(blocks, count, substeps, threads):
    """Median ratio of throughputs of neighbouring blocks."""
    batch = stiction.Batch(stiction.load("anymal_lumped"), count, threads=threads, time_step=1e-3)
    batch.reset("stand", seed=1, joint_position=0.05)
    batch.set_servos(100.0, 2.0, keyframe="stand")
    pose = batch.servo_targets.copy()
    random = np.random.default_rng(1)
    targets = [pose + random.normal(0.0, 0.02, pose.shape) for _ in range(4)]
    batch.step(200)
    ratios, rate = [], []
    for k in range(blocks):
        begin = time.perf_counter()
        for _ in range(4):
            batch.servo_targets[:] = targets[k % 4]
            batch.step(substeps)
            seen = np.concatenate([batch.q, batch.v], axis=1)
        middle = time.perf_counter()
        alone = _stiction._time_steps(batch, 4, substeps)
        ratios.append(alone / (middle - begin))
        rate.append(4 * substeps * count / (middle - begin))
    assert np.isfinite(seen).all()
    return statistics.median(ratios), statistics.median(rate)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--blocks", type=int, default=200)
    parser.add_argument("--count", type=int, default=1024)
    parser.add_argument("--substeps", type=int, default=4)
    parser.add_argument("--threads", type=int, default=0)
    told = parser.parse_args()
    above, alone = overhead_of_step(told.blocks, 200)
    print(f"Simulation.step(): {1e6 * above:.2f} us above the {1e6 * alone:.2f} us of C++")
    ratio, rate = share_of_batch(max(5, told.blocks // 10), told.count, told.substeps,
                                 told.threads)
    print(f"Batch.step({told.substeps}) of {told.count}: {ratio:.3f} x the throughput of C++, "
          f"{rate:.0f} steps/s")


if __name__ == "__main__":
    main()
