"""Simulator for articulated robots in hard contact."""

import os as _os
import pathlib as _pathlib

_models = _pathlib.Path(__file__).resolve().parent / "models"
if _models.is_dir():  # an installed package has the built-in robots beside it
    _os.environ.setdefault("STICTION_MODELS", str(_models))

from ._show import show
from ._stiction import (
    Batch,
    Certificate,
    Contact,
    ContactProblem,
    GravityCompensation,
    InputError,
    InverseDynamics,
    Model,
    PdController,
    Renderer,
    Simulation,
    Solution,
    State,
    StateFeedback,
    StepReport,
    __version__,
    bias_forces,
    energy,
    forward_dynamics,
    frame_jacobian,
    frame_pose,
    inverse_dynamics,
    linearize,
    load,
    load_problem,
    load_text,
    mass_matrix,
    model_names,
    models_folder,
    replay_page,
    save_problem,
    solve,
    solver_names,
)

setattr(Simulation, "show", show)
InputError.__doc__ = "What is wrong with a file: each problem with its place and a remedy."

__all__ = [
    "Batch",
    "Certificate",
    "Contact",
    "ContactProblem",
    "GravityCompensation",
    "InputError",
    "InverseDynamics",
    "Model",
    "PdController",
    "Renderer",
    "Simulation",
    "Solution",
    "State",
    "StateFeedback",
    "StepReport",
    "__version__",
    "bias_forces",
    "energy",
    "forward_dynamics",
    "frame_jacobian",
    "frame_pose",
    "inverse_dynamics",
    "linearize",
    "load",
    "load_problem",
    "load_text",
    "mass_matrix",
    "model_names",
    "models_folder",
    "replay_page",
    "save_problem",
    "show",
    "solve",
    "solver_names",
]
