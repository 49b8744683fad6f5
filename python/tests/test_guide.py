"""The snippets of the guide run as they stand."""

import os
import pathlib
import re
import warnings

import pytest

GUIDE = pathlib.Path(__file__).parents[2] / "docs" / "python" / "README.md"
SNIPPETS = re.findall(r"```python\n(.*?)```", GUIDE.read_text(encoding="utf-8"), re.S)


@pytest.mark.parametrize("snippet", SNIPPETS)
def test_snippet_runs(snippet, tmp_path):
    here = os.getcwd()
    os.chdir(tmp_path)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            exec(compile(snippet, str(GUIDE), "exec"), {})
    finally:
        os.chdir(here)


def test_there_are_snippets():
    assert len(SNIPPETS) >= 3
