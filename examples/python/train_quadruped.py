"""Teaches ANYmal to walk as it is told, from nothing.

    ./run python examples/python/train_quadruped.py --out walking --minutes 20

Writes a checkpoint (`--resume` goes on from it with the same bits), the policy as a file that
`stiction` runs, the curve, and a page of the gait.
"""

import argparse
import csv
import os
import pathlib
import time

# Matrices this small are multiplied faster by one thread, above all where other programs run too.
# The libraries read this when they are loaded.
for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(name, "1")

import numpy as np
import torch

import ppo
from stiction.gym import make, make_vec
from stiction.gym.policy import Policy, save_policy
from stiction.gym.tasks import QuadrupedFlat

COMMANDS = [(0.5, 0, 0), (1.0, 0, 0), (-0.5, 0, 0), (0, 0.3, 0), (0, -0.3, 0), (0, 0, 0.6),
            (0, 0, -0.6), (0.5, 0, 0.5), (0.5, 0.2, 0), (0, 0, 0)]


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("walking"))
    parser.add_argument("--minutes", type=float, default=20.0, help="of training")
    parser.add_argument("--iterations", type=int, default=100000, help="at most, in all")
    parser.add_argument("--envs", type=int, default=256)
    parser.add_argument("--threads", type=int, default=0, help="of the physics; 0: all cores")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--check-seconds", type=float, default=20.0, help="of each command")
    parser.add_argument("--resume", action="store_true")
    return parser.parse_args()


def write_curve(history, folder):
    """As a table and as a picture: mean velocity error and reward against wall time."""
    with open(folder / "curve.csv", "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, history[0].keys())
        writer.writeheader()
        writer.writerows(history)
    width, height = 640, 320
    minutes = np.array([row["seconds"] for row in history]) / 60.0
    lines = ""
    for name, color, title in (("error", "#c0392b", "velocity error [m/s]"),
                               ("reward", "#2c6fbb", "reward per step, over its maximum")):
        values = np.array([row[name] for row in history])
        if name == "reward":
            values = values / (1.5 * QuadrupedFlat.control_interval)
        x = 50 + (width - 70) * minutes / max(minutes[-1], 1e-9)
        y = height - 40 - (height - 70) * np.clip(values, 0.0, 1.0)
        points = " ".join(f"{a:.1f},{b:.1f}" for a, b in zip(x, y))
        lines += f'<polyline fill="none" stroke="{color}" stroke-width="1.5" points="{points}"/>'
        lines += (f'<text x="{width - 240}" y="{30 if name == "error" else 46}" fill="{color}" '
                  f'font-size="12" font-family="sans-serif">{title}</text>')
    axes = f'<path d="M50 30V{height - 40}H{width - 20}" fill="none" stroke="#444"/>'
    for k in range(6):
        x, y = 50 + (width - 70) * k / 5, height - 40 - (height - 70) * k / 5
        axes += (f'<text x="{x:.0f}" y="{height - 24}" font-size="11" text-anchor="middle" '
                 f'font-family="sans-serif">{minutes[-1] * k / 5:.1f}</text>'
                 f'<text x="44" y="{y + 4:.0f}" font-size="11" text-anchor="end" '
                 f'font-family="sans-serif">{k / 5:.1f}</text>')
    axes += (f'<text x="{width / 2}" y="{height - 6}" font-size="12" text-anchor="middle" '
             'font-family="sans-serif">wall time [min]</text>')
    (folder / "curve.svg").write_text(
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}">'
        f'<rect width="100%" height="100%" fill="white"/>{axes}{lines}</svg>\n', encoding="utf-8")


def evaluate(policy, seconds=20.0):
    """Each command for a while. Prints mean errors after the first second, falls, the largest
    torques, and what the certificate says."""
    passed = 0
    for command in COMMANDS:
        env = make("Stiction/QuadrupedFlat-v0", command=command, random_start=False,
                   max_episode_steps=round(seconds / 0.02))
        observation, _ = env.reset(seed=0)
        errors, turning, torque, fell = [], [], 0.0, False
        for _ in range(round(seconds / 0.02)):
            observation, _, fell, _, info = env.step(policy(observation))
            errors.append(info["velocity_error"])
            turning.append(info["turning_error"])
            torque = max(torque, float(np.abs(env.task.torques).max()))
            if fell:
                break
        error = float(np.mean(errors[50:])) if len(errors) > 50 else float("nan")
        good = not fell and error < 0.25
        passed += good
        counts = env.task.batch.counts
        print(f"command {command}: velocity error {error:.3f} m/s, turning error "
              f"{np.mean(turning[50:]) if len(turning) > 50 else float('nan'):.3f} rad/s, "
              f"{'fell after %.1f s' % (0.02 * len(errors)) if fell else 'no fall'}, asked for up "
              f"to {torque:.0f} N·m, {counts['not_certified']} of {counts['steps']} steps not "
              f"certified")
    print(f"{passed} of {len(COMMANDS)} commands followed within 0.25 m/s without a fall")
    return passed


def show_gait(policy, file):
    """A page: forward, then a turn."""
    env = make("Stiction/QuadrupedFlat-v0", render_mode="html", command=(0.8, 0.0, 0.3),
               random_start=False)
    observation, _ = env.reset(seed=0)
    for _ in range(400):
        observation, _, fell, _, _ = env.step(policy(observation))
        if fell:
            break
    file.write_text(env.render(), encoding="utf-8")


def main():
    told = arguments()
    told.out.mkdir(parents=True, exist_ok=True)
    if told.threads:
        torch.set_num_threads(told.threads)
    env = make_vec("Stiction/QuadrupedFlat-v0", num_envs=told.envs, threads=told.threads,
                   autoreset_mode="SameStep")
    learner = ppo.Ppo(env, told.seed, mirror=QuadrupedFlat.mirror())
    checkpoint = told.out / "checkpoint.pt"
    if told.resume and checkpoint.exists():
        learner.load(checkpoint)
    begin, saved = time.time(), time.time()
    while time.time() - begin < 60.0 * told.minutes and learner.iteration < told.iterations:
        row = learner.learn()
        if row["iteration"] % 10 == 0:
            print("iteration {iteration}: {samples} samples, {seconds:.0f} s (physics "
                  "{physics_seconds:.0f} s), reward {reward:.4f}, velocity error {error:.3f} m/s, "
                  "{falls} falls".format(**row), flush=True)
        if time.time() - saved > 60.0:
            learner.save(checkpoint)
            saved = time.time()
    learner.save(checkpoint)
    write_curve(learner.history, told.out)
    save_policy(told.out / "policy.json", env.task, learner.layers())
    policy = Policy(told.out / "policy.json")
    evaluate(policy, told.check_seconds)
    show_gait(policy, told.out / "gait.html")
    print(f"stiction: wrote policy.json, curve.svg, gait.html and checkpoint.pt in {told.out}")


if __name__ == "__main__":
    main()
