"""Contact problems, certificates, evaluate() and controllers from Python agree with mechanics."""

import pickle

import numpy as np
import pytest

import stiction


def block_on_floor(push=0.0, mass=2.0, friction=0.5, h=1e-3):
    """One step of a point mass on the floor: velocities t1, t2, n."""
    problem = stiction.ContactProblem()
    problem.add_contact(friction)
    problem.set_matrix(np.eye(3) / mass, [push, 0.0, -9.81 * h])
    return problem


@pytest.mark.parametrize("solver", stiction.solver_names())
def test_every_solver_finds_sticking_and_slipping(solver):
    h, mass, friction = 1e-3, 2.0, 0.5
    for push, slips in ((0.3 * 9.81 * h, False), (0.7 * 9.81 * h, True)):
        problem = block_on_floor(push, mass, friction, h)
        law = "convex" if solver == "convex" else "coulomb"
        solution = stiction.solve(problem, solver, law=law)
        assert solution.status in ("certified", "solved"), solution
        if law == "coulomb" and solution.certified:
            normal = mass * 9.81 * h
            assert solution.impulses[2] == pytest.approx(normal, rel=1e-6)
            wanted = -friction * normal if slips else -mass * push
            assert solution.impulses[0] == pytest.approx(wanted, rel=1e-6)
            assert np.allclose(
                solution.velocities,
                problem.delassus @ solution.impulses + problem.free_velocity,
                atol=1e-15,
            )


def test_the_certificate_judges_impulses_whoever_found_them():
    problem = block_on_floor(push=0.003)
    solution = stiction.solve(problem)
    assert solution.certified and problem.certificate(solution.impulses).certified()
    wrong = solution.impulses.copy()
    wrong[0] *= 1.1
    assert not problem.certificate(wrong).certified()
    pulled = solution.impulses.copy()
    pulled[2] *= -1.0
    assert problem.certificate(pulled).cone > 0.0
    assert not np.isfinite(problem.certificate([np.nan, 0, 0]).residual)


def test_starting_from_the_answer_takes_no_longer_and_history_shows_the_way():
    random = np.random.default_rng(5)
    jacobian = random.normal(size=(12, 9))
    problem = stiction.ContactProblem()
    for _ in range(4):
        problem.add_contact(0.6)
    problem.set_matrix(jacobian @ jacobian.T, random.normal(size=12))
    cold = stiction.solve(problem, "per_contact", tolerance=1e-10, keep_history=True)
    assert cold.certified and len(cold.history) >= 1
    warm = stiction.solve(problem, "per_contact", impulses=cold.impulses, tolerance=1e-10)
    assert warm.certified and warm.iterations <= cold.iterations


def test_blocks_of_all_kinds_and_pickles():
    problem = stiction.ContactProblem()
    assert problem.add_contact(0.5, normal_target=-0.1) == 0
    assert problem.add_limit(0.2) == 1
    assert problem.add_joint_friction(0.05) == 2
    assert problem.add_lock(2) == 3
    problem.set_matrix(np.eye(7), [0, 0, -1, 0.1, 0.01, 0.3, -0.4])
    solution = stiction.solve(problem)
    assert solution.certified
    # Each row by itself: contact to its target, limit to its target, friction stops, lock stops.
    assert np.allclose(solution.velocities, [0, 0, -0.1, 0.2, 0, 0, 0], atol=1e-8)
    again = pickle.loads(pickle.dumps(problem))
    assert np.array_equal(stiction.solve(again).impulses, solution.impulses)
    assert [block["kind"] for block in again.blocks] == [b["kind"] for b in problem.blocks]


def test_problems_go_through_fclib_files(tmp_path):
    problem = block_on_floor(push=0.003)
    stiction.save_problem(str(tmp_path / "block.hdf5"), problem)
    again = stiction.load_problem(str(tmp_path / "block.hdf5"))
    assert np.allclose(stiction.solve(again).impulses, stiction.solve(problem).impulses, rtol=1e-9)


@pytest.mark.parametrize(
    "mistake, kind, told",
    [
        (lambda p: p.set_matrix(np.eye(2), np.zeros(3)), ValueError, "3 rows"),
        (lambda p: p.set_matrix(np.eye(3), np.zeros(2)), ValueError, "3 rows"),
        (lambda p: p.add_contact(0.5), ValueError, ""),
        (lambda p: p.certificate([1.0]), ValueError, "give 3"),
        (lambda p: p.certificate([0, 0, 0], law="glue"), ValueError, "law"),
        (lambda p: stiction.solve(p, "magic"), ValueError, "hybrid"),
        (lambda p: stiction.solve(p, tolerence=1.0), TypeError, "tolerance"),
        (lambda p: stiction.solve(p, tolerance=-1.0), ValueError, "tolerance"),
        (lambda p: stiction.solve(p, impulses=[1.0]), ValueError, "3 entries"),
        (lambda p: stiction.solve(stiction.ContactProblem()), ValueError, "set_matrix"),
        (lambda p: stiction.ContactProblem().add_lock(9), ValueError, ""),
        (lambda p: stiction.load_problem("/no/such.hdf5"), stiction.InputError, "such"),
    ],
)
def test_mistakes_are_exceptions(mistake, kind, told):
    with pytest.raises(kind) as error:
        mistake(block_on_floor())
    assert told in str(error.value)


def test_a_problem_with_nan_is_refused_by_status():
    problem = stiction.ContactProblem()
    problem.add_contact(0.5)
    problem.set_matrix(np.full((3, 3), np.nan), np.zeros(3))
    assert problem.check() != ""
    assert stiction.solve(problem).status == "invalid problem"


def test_evaluate_finds_the_forces_and_leaves_the_state():
    simulation = stiction.Simulation(stiction.load("quadruped_stand"))
    simulation.reset("stand")
    simulation.set_servos(400.0, 20.0)
    simulation.run(2.0)
    before = simulation.state
    report = simulation.evaluate()
    assert report.ok and simulation.state == before
    force = report.impulses.sum(axis=0) / simulation.time_step
    weight = simulation.model.total_mass * 9.81
    assert abs(force[2]) == pytest.approx(weight, rel=1e-6)
    assert abs(simulation.accelerations).max() < 1e-6


def test_energy_is_in_the_report_if_it_is_asked_for():
    simulation = stiction.Simulation(stiction.load("anymal_lumped"), balance=True)
    simulation.v[0] = 1.0
    report = simulation.step()
    kinetic, potential = stiction.energy(simulation.model, simulation.q, simulation.v)
    assert report.kinetic_energy == pytest.approx(kinetic, rel=1e-12)
    assert report.potential_energy == pytest.approx(potential, rel=1e-12)


FEET = ["FL_FOOT", "FR_FOOT", "HL_FOOT", "HR_FOOT"]


def solo():
    model = stiction.load("solo12")
    state = model.keyframe("on_ground")
    for leg in ("FL", "FR", "HL", "HR"):
        state.q[model.joint_position_index(leg + "_HFE")] = -0.8
        state.q[model.joint_position_index(leg + "_KFE")] = 1.6
    lowest = min(stiction.frame_pose(model, state.q, foot)[2, 3] for foot in FEET)
    state.q[2] += 0.016 - lowest
    return model, state


def test_gravity_compensation_carries_solo12():
    model, state = solo()
    simulation = stiction.Simulation(model)
    simulation.state = state
    gravity = stiction.GravityCompensation(model, FEET)
    pd = stiction.PdController(model, 4.0, 0.1)
    pd.q = state.q
    while simulation.time < 1.0:
        pd.feed_forward = gravity.torques(simulation.state)
        simulation.joint_forces[:] = pd.torques(simulation.state)
        assert simulation.step().ok
    assert simulation.q[2] == pytest.approx(state.q[2], abs=1e-4)
    assert gravity.forces.shape == (3, 4)
    assert gravity.forces[2].sum() == pytest.approx(model.total_mass * 9.81, rel=1e-6)


def test_inverse_dynamics_moves_the_centre_of_mass():
    model, state = solo()
    simulation = stiction.Simulation(model)
    simulation.state = state
    control = stiction.InverseDynamics(model, torque_limits=np.full(model.velocity_count, 2.7))
    for foot in FEET:
        control.add_ball_foot(foot, 0.016)
    control.set_posture(state.q)
    base = stiction.frame_pose(model, state.q, model.frame_names[0])
    control.add_body_task(model.frame_names[0], base, part="orientation", kp=50.0)
    control.set_center_of_mass([0, 0, 0], weight=0.0)
    control.torques(simulation.state)
    start = control.center_of_mass
    control.set_center_of_mass(start + [0.0, 0.0, 0.02], kp=50.0)
    while simulation.time < 1.5:
        simulation.joint_forces[:] = control.torques(simulation.state)
        assert control.ok, control.message
        assert simulation.step().ok
    assert control.center_of_mass[2] - start[2] == pytest.approx(0.02, abs=2e-3)
    with pytest.raises(ValueError, match="contact 9"):
        control.set_active(9, False)
    with pytest.raises(ValueError, match="part"):
        control.add_body_task(model.frame_names[0], base, part="half")


def test_a_regulator_holds_the_pendulum_upright():
    model = stiction.load("pendulum", ground=False)
    h = 1e-3
    upright = np.array([np.pi])
    forces = stiction.inverse_dynamics(model, upright, np.zeros(1), np.zeros(1))
    A, B = stiction.linearize(model, h, upright, np.zeros(1), forces)
    assert A.shape == (2, 2) and B.shape == (2, 1) and abs(np.linalg.eigvals(A)).max() > 1.0
    hold = stiction.StateFeedback(model, h, upright, forces, np.eye(2), 0.01 * np.eye(1))
    simulation = stiction.Simulation(model, time_step=h)
    simulation.q[:] = upright + 0.1
    while simulation.time < 10.0:
        simulation.joint_forces[:] = hold.torques(simulation.state)
        simulation.step()
    assert simulation.q[0] == pytest.approx(np.pi, abs=1e-3)


def test_body_poses_and_pictures():
    model = stiction.load("quadruped_stand")
    simulation = stiction.Simulation(model)
    simulation.reset("stand")
    pose = simulation.body_pose(model.body_names[0])
    assert np.allclose(pose[:3, 3], simulation.q[:3]) and np.allclose(pose[:3, :3], np.eye(3))
    renderer = stiction.Renderer(model)
    picture = renderer.draw(simulation.q, [2, -2, 1], [0, 0, 0.4], width=64, height=48)
    assert picture.shape == (48, 64, 3) and picture.dtype == np.uint8
    assert len(np.unique(picture.reshape(-1, 3), axis=0)) > 20
    assert np.array_equal(picture, renderer.draw(simulation.q, [2, -2, 1], [0, 0, 0.4], 64, 48))
    away = renderer.draw(simulation.q, [2, -2, 1], [2, -2, 9], width=64, height=48)
    assert len(np.unique(away.reshape(-1, 3), axis=0)) == 1
    for wrong in (dict(width=0), dict(camera=[0, 0, 0.4]), dict(field_of_view=9.0)):
        with pytest.raises(ValueError):
            given = dict(camera=[2, -2, 1], target=[0, 0, 0.4], width=8, height=8)
            renderer.draw(simulation.q, **{**given, **wrong})
    with pytest.raises(ValueError, match="finite"):
        renderer.draw(np.full(19, np.nan), [2, -2, 1], [0, 0, 0])


def test_what_was_not_solved_is_not_certified_by_its_certificate():
    problem = block_on_floor()
    for solution, status in (
        (stiction.solve(problem, "convex"), "unsupported"),  # it knows the convex law alone
        (stiction.solve(indefinite(), "hybrid", check="full"), "invalid problem"),
    ):
        assert solution.status == status, solution
        assert not solution.certified and not solution.certificate.certified()
        assert not solution.certificate.certified(1e300)
        assert solution.certificate.residual == np.inf


def indefinite():
    problem = stiction.ContactProblem()
    problem.add_contact(0.5)
    problem.set_matrix(np.diag([1.0, 1.0, -1.0]), [0.0, 0.0, -1.0])
    return problem


def test_a_step_that_was_refused_is_not_certified_and_not_recorded():
    simulation = stiction.Simulation(stiction.load("anymal"))
    simulation.record()
    simulation.step()
    page = simulation.html()
    simulation.q[2] = np.nan
    report = simulation.step()
    assert report.status == "refused" and "position" in report.message
    assert report.residual == np.inf and not report.certificate.certified(1e300)
    assert np.isfinite(simulation.counts["worst_residual"])
    assert simulation.html() == page


def test_a_contact_that_nothing_can_move_is_told():
    problem = stiction.ContactProblem()
    problem.add_contact(0.5)
    problem.set_matrix(np.zeros((3, 3)), [0.0, 0.0, -1.0])
    solution = stiction.solve(problem)
    assert solution.skipped_blocks == 1 and np.array_equal(solution.impulses, np.zeros(3))
    assert solution.certificate.penetration_rate == 1.0
    assert "cannot be moved" in solution.message and "1 m/s" in solution.message
    assert stiction.solve(block_on_floor()).message == ""
