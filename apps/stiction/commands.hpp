#pragma once

/// \file
/// The subcommands of the program: one file each, one line each in main.cpp.

#include <functional>

namespace CLI {
class App;
}

namespace stiction {

/// What the chosen subcommand does; returns the exit code. Run after all arguments are parsed, so
/// that nothing is printed before a usage error. A subcommand with many options makes them when it
/// is asked for, so that the others do not wait for it.
using Action = std::function<int()>;

/// `stiction inspect FILE`: what a file contains and what is wrong with it.
void add_inspect_command(CLI::App& app, Action& action);

/// `stiction solve FILE…`: contact problems, by one or several solvers.
void add_solve_command(CLI::App& app, Action& action);

/// `stiction simulate SCENE`: a run, its record and its summary.
void add_simulate_command(CLI::App& app, Action& action);

/// `stiction replay FILE`: a recording as a page, a table or a picture.
void add_replay_command(CLI::App& app, Action& action);

/// `stiction compare SCENE`: runs from one state by several solvers, laws or rules.
void add_compare_command(CLI::App& app, Action& action);

/// `stiction rollout SCENE`: many runs at once, as data for learning.
void add_rollout_command(CLI::App& app, Action& action);

/// `stiction options`: what steps and solvers may be told.
void add_options_command(CLI::App& app, Action& action);

/// `stiction view SCENE`: a simulation that runs while you watch it in a browser.
void add_view_command(CLI::App& app, Action& action);

/// `stiction completion SHELL`: a script for the shell.
void add_completion_command(CLI::App& app, Action& action);

/// All of these.
void add_commands(CLI::App& app, Action& action);

}  // namespace stiction
