"""Builds the Python package by CMake (scripts/build) and packs it: modules, program and models.

Environment: STICTION_BUILD  build folder, as of scripts/build
             STICTION_PREBUILT  a build folder in which everything is built already
"""

import os
import pathlib
import re
import shutil
import subprocess
import tempfile

from setuptools import Distribution, setup
from setuptools.command.build_py import build_py

ROOT = pathlib.Path(__file__).resolve().parent
TARGETS = ["stiction", "stiction_python_package"]


def build_folder():
    """Where the package is built, after that."""
    prebuilt = os.environ.get("STICTION_PREBUILT")
    if prebuilt:
        return pathlib.Path(prebuilt)
    subprocess.run([ROOT / "scripts" / "build", "release", *TARGETS], check=True)
    return pathlib.Path(os.environ.get("STICTION_BUILD", ROOT / "build" / "release"))


class Build(build_py):
    def run(self):
        built = build_folder()
        package = pathlib.Path(self.build_lib) / "stiction"
        ignore = shutil.ignore_patterns("__pycache__")
        shutil.copytree(built / "python" / "stiction", package, ignore=ignore, dirs_exist_ok=True)
        shutil.copytree(ROOT / "models", package / "models", ignore=ignore, dirs_exist_ok=True)
        (package / "bin").mkdir(exist_ok=True)
        shutil.copy2(built / "bin" / "stiction", package / "bin" / "stiction")


class Binary(Distribution):
    """Wheels are for this machine's Python and instruction set."""

    def has_ext_modules(self):
        return True


# Nothing is written beside the sources.
scratch = tempfile.mkdtemp(prefix="stiction_build_")
version = re.search(r"VERSION (\d+\.\d+\.\d+)", (ROOT / "CMakeLists.txt").read_text()).group(1)
setup(
    version=version,
    packages=["stiction"],
    package_dir={"stiction": "python/stiction"},
    distclass=Binary,
    cmdclass={"build_py": Build},
    options={"egg_info": {"egg_base": scratch}, "build": {"build_base": scratch}},
)
