"""The snippets of the guides run as they stand."""

import os
import pathlib
import re
import warnings

import pytest

ROOT = pathlib.Path(__file__).parents[2]
FOLDER = ROOT / "docs" / "python"
EXAMPLES = ROOT / "examples" / "python"
SNIPPETS = [
    pytest.param(snippet, id=f"{page.stem}-{number}")
    for page in sorted(FOLDER.glob("*.md"))
    for number, snippet in enumerate(
        re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.S)
    )
]


@pytest.mark.parametrize("snippet", SNIPPETS)
def test_snippet_runs(snippet, tmp_path, monkeypatch):
    if "import ppo" in snippet:
        pytest.importorskip("torch", reason="torch is not installed (Debian: python3-torch)")
        monkeypatch.syspath_prepend(EXAMPLES)
    if "write_dataset" in snippet:
        pytest.importorskip("h5py", reason="h5py is not installed (Debian: python3-h5py)")
    here = os.getcwd()
    os.chdir(tmp_path)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            exec(compile(snippet, "guide", "exec"), {"__name__": "guide"})
    finally:
        os.chdir(here)


def test_there_are_snippets():
    assert len(SNIPPETS) >= 13
