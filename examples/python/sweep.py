"""A sweep over friction and slope by dask.distributed: how far does a block slide in a second?

    ./run python examples/python/sweep.py                    # workers on this machine
    ./run python examples/python/sweep.py tcp://host:8786    # those of a scheduler

A worker that dies loses nothing: its tasks run elsewhere, with the same bits. `--kill` shows it.
"""

import argparse
import math

from dask.distributed import Client, LocalCluster, as_completed


def slide(friction, angle):
    """Distance of a block on a slope after 1 s [m]: one task, made anew wherever it runs."""
    import stiction

    text = (
        '<mujoco><worldbody><geom type="plane" size="50 50 1" friction="0.01"/>'
        '<body pos="0 0 0.1"><freejoint/><geom type="box" size="0.2 0.2 0.1" mass="1" '
        f'friction="{friction}"/></body></worldbody></mujoco>'
    )
    model = stiction.load_text(text)
    model.gravity = [9.81 * math.sin(angle), 0.0, -9.81 * math.cos(angle)]
    simulation = stiction.Simulation(model, time_step=1e-3)
    report = simulation.run(1.0)
    if not report.ok:
        raise RuntimeError(report.message)
    return float(simulation.q[0])


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("scheduler", nargs="?", help="address; none: workers on this machine")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--kill", action="store_true", help="kill a worker on the way")
    told = parser.parse_args()
    cluster = None
    if told.scheduler is None:
        cluster = LocalCluster(n_workers=told.workers, threads_per_worker=1,
                               dashboard_address=None)
    with Client(told.scheduler or cluster) as client:
        cases = [(0.1 * k, 0.1 * n) for k in range(1, 6) for n in range(0, 5)]
        futures = {client.submit(slide, *case): case for case in cases}
        found = {}
        for future in as_completed(futures):
            found[futures[future]] = future.result()
            if told.kill and len(found) == 3 and cluster is not None:
                worker = next(iter(cluster.workers.values()))
                worker.process.process._process.kill()
                print("killed a worker", flush=True)
        for friction, angle in cases:
            # Coulomb: it slides if tan(angle) exceeds the friction.
            rate = 9.81 * (math.sin(angle) - friction * math.cos(angle))
            print(f"friction {friction:.1f}, slope {angle:.1f} rad: {found[friction, angle]:.4f} m "
                  f"(Coulomb {max(0.0, 0.5 * rate):.4f} m)")
    if cluster is not None:
        cluster.close()


if __name__ == "__main__":
    main()
