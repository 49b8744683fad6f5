#include "support/exact_scenes.hpp"

namespace stiction::test {

ContactProblem Scene::problem() const {
  ContactProblem result;
  for (std::size_t i = 0; i < friction.size(); ++i) {
    result.add_contact(friction[i], normal_target.empty() ? 0.0 : normal_target[i]);
  }
  result.use_dense();
  const Eigen::MatrixXd G = jacobian * inverse_mass * jacobian.transpose();
  result.edit_delassus() = 0.5 * (G + G.transpose());
  result.edit_free_velocity() = jacobian * free_motion;
  result.prepare();
  return result;
}

Eigen::VectorXd Scene::motion(const std::vector<double>& impulses) const {
  const Eigen::Map<const Eigen::VectorXd> lambda(impulses.data(),
                                                 static_cast<Eigen::Index>(impulses.size()));
  return free_motion + inverse_mass * (jacobian.transpose() * lambda);
}

Scene incline(double angle, double friction, double mass, double time_step) {
  Scene scene;
  scene.jacobian = Eigen::Matrix3d::Identity();
  scene.inverse_mass = Eigen::Matrix3d::Identity() / mass;
  scene.free_motion =
      time_step * gravity * Eigen::Vector3d(-std::sin(angle), 0.0, -std::cos(angle));
  scene.friction = {friction};
  return scene;
}

Scene slider(double angle, double speed, double approach, double friction, double mass) {
  Scene scene;
  scene.jacobian = Eigen::Matrix3d::Identity();
  scene.inverse_mass = Eigen::Matrix3d::Identity() / mass;
  scene.free_motion = Eigen::Vector3d(speed * std::cos(angle), speed * std::sin(angle), -approach);
  scene.friction = {friction};
  return scene;
}

Scene pinched_particle(double target, double friction) {
  Scene scene;
  scene.jacobian.resize(6, 3);
  scene.jacobian.topRows<3>().setIdentity();
  scene.jacobian.bottomRows<3>() = Eigen::Vector3d(1.0, -1.0, -1.0).asDiagonal();
  scene.inverse_mass = Eigen::Matrix3d::Identity();
  scene.free_motion = Eigen::Vector3d(0.1, 0.0, -0.2);
  scene.friction = {friction, friction};
  scene.normal_target = {target, target};
  return scene;
}

Scene stack(const std::vector<double>& mass, double friction, double time_step) {
  const auto count = static_cast<Eigen::Index>(mass.size());
  Scene scene;
  scene.jacobian.setZero(3 * count, 3 * count);
  scene.inverse_mass.setZero(3 * count, 3 * count);
  scene.free_motion.setZero(3 * count);
  for (Eigen::Index i = 0; i < count; ++i) {
    scene.jacobian.block<3, 3>(3 * i, 3 * i).setIdentity();
    if (i > 0) scene.jacobian.block<3, 3>(3 * i, 3 * i - 3) = -Eigen::Matrix3d::Identity();
    scene.inverse_mass.block<3, 3>(3 * i, 3 * i) =
        Eigen::Matrix3d::Identity() / mass[static_cast<std::size_t>(i)];
    scene.free_motion[3 * i + 2] = -gravity * time_step;
  }
  scene.friction.assign(mass.size(), friction);
  return scene;
}

Scene painleve_rod(double angle, double friction, double slide, double approach) {
  const double inertia = 1.0 / 3.0;  // m L²/12 with L = 2
  Scene scene;
  scene.jacobian.resize(3, 4);
  // Lower end relative to the middle: (−cos θ, 0, −sin θ); ω × r with ω about y.
  scene.jacobian << 1.0, 0.0, 0.0, -std::sin(angle),  //
      0.0, 1.0, 0.0, 0.0,                             //
      0.0, 0.0, 1.0, std::cos(angle);
  scene.inverse_mass = Eigen::Vector4d(1.0, 1.0, 1.0, 1.0 / inertia).asDiagonal();
  scene.free_motion = Eigen::Vector4d(slide, 0.0, -approach, 0.0);
  scene.friction = {friction};
  return scene;
}

Scene random_scene(Random& random, int contacts, int freedoms, double largest_friction) {
  const auto fill = [&](Eigen::MatrixXd& matrix, int rows, int columns) {
    matrix.resize(rows, columns);
    for (double& value : matrix.reshaped()) value = random.normal();
  };
  Scene scene;
  fill(scene.jacobian, 3 * contacts, freedoms);
  Eigen::MatrixXd factor;
  fill(factor, freedoms, freedoms);
  scene.inverse_mass =
      factor * factor.transpose() / freedoms + 0.1 * Eigen::MatrixXd::Identity(freedoms, freedoms);
  Eigen::MatrixXd motion;
  fill(motion, freedoms, 1);
  scene.free_motion = motion;
  for (int i = 0; i < contacts; ++i) {
    scene.friction.push_back(random.uniform(0.0, largest_friction));
    scene.normal_target.push_back(random.uniform() < 0.5 ? 0.0 : -random.uniform(0.0, 0.5));
  }
  return scene;
}

}  // namespace stiction::test
