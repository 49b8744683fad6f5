"""Any call with any arguments answers or raises: a process of its own calls everything by chance, and
lives on."""

import os
import random
import re
import subprocess
import sys

import numpy as np
import pytest

import stiction

SEEDS = range(4)
CALLS = int(os.environ.get("STICTION_CALLS", "1500"))

#: What may come out of a mistake. Others, such as SystemError, say that we made one.
ALLOWED = (ValueError, TypeError, RuntimeError, AttributeError, OSError, OverflowError)

NUMBERS = [0.0, -0.0, 1.0, -1.0, 0.5, 1e-3, 1e-300, 1e300, np.inf, -np.inf, np.nan]
WORDS = ["", "x", "base", "LF_HAA", "LF_FOOT", "LF_SHANK", "stand", "root", "position", "both",
         "hybrid", "pgs", "coulomb", "box", "ü", "a" * 5000, "base\0x", "/no/such"]
SIZES = [0, 1, 2, 3, 4, 6, 12, 18, 19, 36, 1000]


def array(rng, kind=""):
    fixed = re.search(r"\[(\d+), (\d+)\]", kind)
    if rng.random() < 0.7:  # as it should be, but perhaps for its numbers
        shape = [int(n) for n in fixed.groups() if n != "1"] if fixed else [rng.choice([18, 19, 1, 3])]
        if "[m, n]" in kind:
            return np.eye(rng.choice([1, 2, 3, 36]))
        values = np.full(shape, 0.1) if shape != [4, 4] else np.eye(4)
        if shape == [19]:
            values[3:7] = [0.0, 0.0, 0.0, 1.0]
        if rng.random() < 0.3:
            values.flat[rng.randrange(values.size)] = rng.choice(NUMBERS)
        return values
    shape = [rng.choice(SIZES) for _ in range(rng.choice([1, 1, 1, 2, 2, 3]))]
    if np.prod(shape) > 10**6:
        shape = shape[:1]
    kind = rng.choice([float, float, float, np.float32, int, bool, object, np.complex128])
    values = np.full(shape, rng.choice(NUMBERS) if kind in (float, np.float32) else 1, kind)
    return values[::-1] if rng.random() < 0.2 else values


def typed(kind, rng, things):
    """A value of the type that a signature asks for, or any other."""
    pick = rng.random()
    if pick < 0.08:
        return rng.choice([None, object(), "x", 7, 2.5, [], {}, b"x", 1 + 2j, int, [[1, 2], [3]]])
    if "stiction" in kind:
        fitting = [thing for thing in things if f".{type(thing).__name__}" in kind.replace(
            "SourcedModel", "Model")]
        return rng.choice(fitting or things)
    if "ndarray" in kind or "buffer" in kind:
        return array(rng, kind)
    if "List[str]" in kind:
        return [rng.choice(WORDS) for _ in range(rng.choice([0, 1, 2, 4]))]
    if "List[int]" in kind:
        return [rng.choice([-1, 0, 1, 6, 17, 18, 10**6]) for _ in range(rng.choice([0, 1, 3]))]
    if "List" in kind or "array" in kind:
        return [rng.choice(NUMBERS) for _ in range(rng.choice([0, 1, 3]))]
    if kind.startswith("float"):
        return rng.choice(NUMBERS)
    if kind.startswith("int"):
        return rng.choice([-(2**63), -(2**31), -1, 0, 1, 2, 3, 4, 2**31, 2**64])
    if kind.startswith("str"):
        return rng.choice(WORDS)
    if kind.startswith("bool"):
        return rng.random() < 0.5
    return rng.choice([None, array(rng), rng.choice(WORDS), rng.choice(NUMBERS)])


def parameters(function):
    """Types of the parameters after self, of one of the signatures in a docstring of pybind11."""
    signatures = re.findall(r"\w+\((.*)\) -> ", function.__doc__ or "")
    found = []
    for signature in signatures:
        if "*args" in signature:
            continue
        found.append([part for part in re.findall(r"(\w+): ((?:[^,\[\]=]|\[[^=]*?\])+)", signature)
                      if part[0] != "self"])
    return found


def world(rng):
    """Objects of every kind, in use."""
    model = stiction.load("anymal_lumped")
    other = stiction.load("pendulum")
    simulation = stiction.Simulation(model, time_step=0.002)
    batch = stiction.Batch(model, 4, threads=1)
    if rng.random() < 0.5:
        simulation.set_servos(100.0, 2.0)
        batch.set_servos(100.0, 2.0)
        batch.watch_bodies(["base"])
    simulation.reset("stand")
    simulation.run(0.05)
    batch.step(2)
    problem = stiction.ContactProblem()
    problem.add_contact(0.5)
    problem.set_matrix(np.eye(3), [0.1, 0.0, -1.0])
    return [
        model, other, simulation, simulation.state, other.initial_state(), simulation.report, batch,
        stiction.PdController(model, 10.0, 1.0), stiction.InverseDynamics(model),
        stiction.GravityCompensation(model, ["LF_FOOT"]), stiction.Renderer(model),
        problem, stiction.ContactProblem(), stiction.solve(problem),
        simulation.report.certificate, *simulation.report.contacts[:1],
        stiction.StateFeedback(other, 0.01, [0.0], [0.0], np.eye(2), np.eye(1)),
    ]


def functions_of(thing):
    for name in dir(thing):
        # These write files, open windows or take long.
        if name in ("html", "show", "record", "save_state", "load_state", "run"):
            continue
        if not name.startswith("_") or name == "__setstate__":
            yield name


MODULE = [name for name in stiction.__all__
          if name not in ("show", "__version__", "InputError", "save_problem", "models_folder")]


def call(seed, calls, log):
    """Calls by chance; the log has the last one when the process dies."""
    rng = random.Random(seed)
    for k in range(calls):
        if k % 50 == 0:
            things = world(rng)
        thing = rng.choice([stiction, *things])
        name = rng.choice(MODULE if thing is stiction else list(functions_of(thing)))
        member = getattr(type(thing), name, None) if thing is not stiction else getattr(thing, name)
        maker = member.__init__ if isinstance(member, type) else member
        signatures = [s for s in parameters(maker)] if callable(maker) else []
        chosen = rng.choice(signatures) if signatures else []
        count = rng.randint(0, len(chosen)) if rng.random() < 0.3 else len(chosen)
        given = [typed(kind, rng, things) for _, kind in chosen[:count]]
        if name in ("Batch", "step"):  # millions would take long, and memory
            given = [min(v, 4) if isinstance(v, int) else v for v in given]
        log.seek(0)
        log.truncate()
        log.write(f"{k}: {type(thing).__name__}.{name}{given!r}"[:2000])
        log.flush()
        try:
            if isinstance(member, property):
                if rng.random() < 0.5:
                    repr(getattr(thing, name))
                else:
                    setattr(thing, name, typed("numpy.ndarray", rng, things))
            elif callable(member):
                repr(getattr(thing, name)(*given))
            else:
                repr(member)
        except ALLOWED as error:
            assert str(error) or isinstance(error, TypeError), f"no message: {type(error)}"
    log.seek(0)
    log.truncate()


@pytest.mark.parametrize("seed", SEEDS)
def test_calls_by_chance_answer_or_raise(seed, tmp_path):
    log = tmp_path / "last"
    run = subprocess.run([sys.executable, "-W", "ignore", __file__, str(seed), str(CALLS), log],
                         capture_output=True, text=True, cwd=tmp_path)
    last = log.read_text(encoding="utf-8") if log.exists() else ""
    assert run.returncode == 0, f"seed {seed}, {last}\n{run.stderr[-4000:]}"


if __name__ == "__main__":
    with open(sys.argv[3], "w", encoding="utf-8") as file:
        call(int(sys.argv[1]), int(sys.argv[2]), file)
