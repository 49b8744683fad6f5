"""Simulator for articulated robots in hard contact."""

from ._stiction import (
    Batch,
    Contact,
    InputError,
    Model,
    Simulation,
    State,
    StepReport,
    __version__,
    bias_forces,
    energy,
    forward_dynamics,
    frame_jacobian,
    frame_pose,
    inverse_dynamics,
    load,
    load_text,
    mass_matrix,
)

__all__ = [
    "Batch",
    "Contact",
    "InputError",
    "Model",
    "Simulation",
    "State",
    "StepReport",
    "bias_forces",
    "energy",
    "forward_dynamics",
    "frame_jacobian",
    "frame_pose",
    "inverse_dynamics",
    "load",
    "load_text",
    "mass_matrix",
    "show",
]


def show(simulation, file=None):
    """Shows what `simulation.record()` has kept since: as a page of its own in the browser, or, in a
    Jupyter notebook, as the output of the cell. With a file name the page is written there."""
    page = simulation.html()
    if file is not None:
        with open(file, "w", encoding="utf-8") as out:
            out.write(page)
        return None
    try:
        from IPython import get_ipython
        from IPython.display import HTML
    except ImportError:
        get_ipython = None
    if get_ipython is not None and get_ipython() is not None:
        import html

        return HTML(
            f'<iframe srcdoc="{html.escape(page, quote=True)}" width="100%" height="600"></iframe>'
        )
    import tempfile
    import webbrowser

    with tempfile.NamedTemporaryFile(
        "w", suffix=".html", prefix="stiction_", delete=False, encoding="utf-8"
    ) as out:
        out.write(page)
    webbrowser.open("file://" + out.name)
    print(f"stiction: the page is {out.name}")
    return None
