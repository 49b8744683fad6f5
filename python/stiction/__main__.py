"""`python3 -m stiction …` is the command line."""

from __future__ import annotations

import os
import pathlib
import shutil
import sys


def program() -> str | None:
    """The program `stiction`: beside the package, or on the PATH."""
    here = pathlib.Path(__file__).resolve().parent
    # Of a wheel, of a build folder, of an installation by CMake.
    for folder in (here, *here.parents[1:2], *here.parents[3:4]):
        place = folder / "bin" / "stiction"
        if place.is_file() and os.access(place, os.X_OK):
            return str(place)
    return shutil.which("stiction")


def main() -> int:
    found = program()
    if found is None:
        print("stiction: the program is neither beside the package nor on the PATH; build the "
              "target `stiction`, or install the project", file=sys.stderr)
        return 127
    os.execv(found, [found, *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
