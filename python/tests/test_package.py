"""The package as a whole: types, docstrings, command line, pages in notebooks, installation."""

import inspect
import os
import pathlib
import subprocess
import sys
import types

import numpy as np
import pytest

import stiction

ROOT = pathlib.Path(__file__).parents[2]
PROGRAM = os.environ.get("STICTION_PROGRAM", "")


def test_everything_public_has_a_docstring():
    bare = []
    for name in stiction.__all__:
        thing = getattr(stiction, name)
        if name.startswith("__"):
            continue
        if not (thing.__doc__ or "").strip():
            bare.append(name)
        if inspect.isclass(thing) and thing is not stiction.InputError:
            for member, value in vars(thing).items():
                if isinstance(value, property) and member.startswith("_"):
                    bare.append(f"{name}.{member}")
                if callable(value) and not member.startswith("_"):
                    # pybind11 writes the signature; a text must follow it.
                    if len((value.__doc__ or "").strip().split("\n")) < 3 and value is not (
                        stiction.show
                    ):
                        bare.append(f"{name}.{member}()")
    assert not bare


def mypy(*arguments):
    pytest.importorskip("mypy", reason="mypy is not installed (Debian: mypy)")
    return subprocess.run([sys.executable, "-m", *arguments], capture_output=True, text=True,
                          cwd=ROOT, env={**os.environ, "MYPYPATH": str(ROOT / "python")})


def test_the_stubs_say_what_the_module_has(tmp_path):
    run = mypy("mypy.stubtest", "stiction._stiction", "--ignore-positional-only",
               "--ignore-unused-allowlist", "--allowlist",
               str(ROOT / "python/tests/stubtest_allowed.txt"), "--mypy-config-file",
               str(ROOT / "pyproject.toml"))
    assert run.returncode == 0, run.stdout + run.stderr


def test_types_of_the_package_and_of_its_users_are_right(tmp_path):
    user = tmp_path / "user.py"
    user.write_text(
        "import numpy as np\n"
        "import stiction\n"
        "from stiction import gym\n"
        "simulation = stiction.Simulation(stiction.load('pendulum'), time_step=1e-3)\n"
        "height: float = simulation.q[0]\n"
        "status: str = simulation.run(0.1).status\n"
        "forces: np.ndarray = stiction.bias_forces(simulation.model, [0.0], [0.0])\n"
        "env: gym.BatchEnv = gym.make_vec('Stiction/ChainSwingUp-v0', 4)\n"
    )
    run = mypy("mypy", "--no-incremental", "--cache-dir", os.devnull, str(ROOT / "python/stiction"),
               str(user))
    assert run.returncode == 0, run.stdout + run.stderr
    user.write_text("import stiction\nstiction.load('pendulum').body_count = 'two'\n"
                    "stiction.load(3)\n")
    run = mypy("mypy", "--no-incremental", "--cache-dir", os.devnull, str(user))
    assert run.returncode == 1 and run.stdout.count("error:") >= 2


def test_the_module_is_the_command_line():
    for arguments in (["--version"], ["inspect", "pendulum"], ["simulate", "--nothing"]):
        module = subprocess.run([sys.executable, "-m", "stiction", *arguments],
                                capture_output=True, text=True)
        program = subprocess.run([PROGRAM, *arguments], capture_output=True, text=True)
        assert module.returncode == program.returncode
        assert module.stdout == program.stdout and module.stderr == program.stderr


@pytest.mark.parametrize("folder", ["/stiction", "/a/stiction", "/a/b/c/d/stiction"])
def test_the_program_is_looked_for_from_folders_of_any_depth(folder, monkeypatch):
    from stiction import __main__ as command

    monkeypatch.setattr(command, "__file__", folder + "/__main__.py")
    monkeypatch.setenv("PATH", str(pathlib.Path(PROGRAM).parent))
    assert command.program() == PROGRAM


def test_a_notebook_gets_the_page_as_the_output_of_a_cell(monkeypatch):
    shell = types.ModuleType("IPython")
    shell.get_ipython = lambda: object()
    monkeypatch.setitem(sys.modules, "IPython", shell)
    simulation = stiction.Simulation(stiction.load("pendulum"))
    simulation.record()
    simulation.run(0.2)
    output = simulation.show()._repr_html_()
    assert output.startswith("<iframe srcdoc=") and output.count('"') == 6
    shell.get_ipython = lambda: None
    opened = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    assert simulation.show() is None
    page = pathlib.Path(opened[0].removeprefix("file://"))
    assert page.read_text().startswith("<!")
    page.unlink()


def test_pages_of_positions():
    model = stiction.load("pendulum")
    page = stiction.replay_page(model, np.arange(5) * 0.1, np.zeros((5, 1)), title="swing")
    assert page.startswith("<!") and "swing" in page
    for times, q in ((np.arange(4), np.zeros((5, 1))), (np.arange(5), np.zeros((5, 2))),
                     (np.zeros(0), np.zeros((0, 1))), (np.arange(2), np.full((2, 1), np.nan))):
        with pytest.raises(ValueError):
            stiction.replay_page(model, times, q)


def test_pip_installs_without_network(tmp_path):
    pytest.importorskip("pip", reason="pip is not installed (Debian: python3-pip)")
    pytest.importorskip("wheel", reason="wheel is not installed (Debian: python3-wheel)")
    before = sorted(os.listdir(ROOT))
    built = pathlib.Path(PROGRAM).parents[1]
    subprocess.run(
        [sys.executable, "-m", "pip", "install", "--quiet", "--no-index", "--no-build-isolation",
         "--no-deps", "--no-cache-dir", "--target", tmp_path, ROOT],
        check=True, env={**os.environ, "STICTION_PREBUILT": str(built)}, capture_output=True)
    assert sorted(os.listdir(ROOT)) == before
    script = (
        "import pathlib, stiction\n"
        f"assert pathlib.Path(stiction.__file__).is_relative_to({str(tmp_path)!r})\n"
        f"assert stiction.models_folder().startswith({str(tmp_path)!r})\n"
        "assert stiction.Simulation(stiction.load('quadruped_stand')).run(0.1).ok\n"
        "from stiction import gym\n"
        "gym.make('Stiction/ChainSwingUp-v0').reset(seed=1)\n"
    )
    clean = {k: v for k, v in os.environ.items() if k not in ("STICTION_MODELS", "PYTHONPATH")}
    where = {**clean, "PYTHONPATH": str(tmp_path)}
    subprocess.run([sys.executable, "-c", script], check=True, env=where, cwd=tmp_path)
    told = subprocess.run([sys.executable, "-m", "stiction", "--version"], env=where, cwd=tmp_path,
                          capture_output=True, text=True)
    assert told.stdout.startswith("stiction ")
