"""Replay pages in the browser and in notebooks."""

from __future__ import annotations

import html
import os
import tempfile
import webbrowser
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ._stiction import Simulation


def _in_notebook() -> bool:
    try:
        from IPython import get_ipython
    except ImportError:
        return False
    return get_ipython() is not None


class Page:
    """The output of a notebook's cell."""

    def __init__(self, text: str) -> None:
        self.text = text

    def _repr_html_(self) -> str:
        page = html.escape(self.text, quote=True)
        return f'<iframe srcdoc="{page}" width="100%" height="600"></iframe>'


def show(simulation: Simulation, file: str | os.PathLike[str] | None = None) -> Any:
    """Shows what `simulation.record()` has kept since: as a page of its own in the browser, or, in a
    Jupyter notebook, as the output of the cell. With a file name the page is written there."""
    page = simulation.html()
    if file is not None:
        with open(file, "w", encoding="utf-8") as out:
            out.write(page)
        return None
    if _in_notebook():
        return Page(page)
    with tempfile.NamedTemporaryFile(
        "w", suffix=".html", prefix="stiction_", delete=False, encoding="utf-8"
    ) as kept:
        kept.write(page)
    webbrowser.open("file://" + kept.name)
    print(f"stiction: the page is {kept.name}")
    return None
