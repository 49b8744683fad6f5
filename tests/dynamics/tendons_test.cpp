// Lengths of tendons against their derivatives, and impulses along them against dense matrices.

#include "stiction/dynamics/tendons.hpp"

#include <Eigen/Cholesky>
#include <cmath>
#include <gtest/gtest.h>

#include "stiction/dynamics/articulated_body.hpp"
#include "stiction/dynamics/delassus.hpp"
#include "stiction/dynamics/energy.hpp"
#include "stiction/dynamics/integrate.hpp"
#include "stiction/dynamics/kinematics.hpp"
#include "stiction/dynamics/mass_matrix.hpp"
#include "stiction/dynamics/spans.hpp"
#include "support/robots.hpp"

namespace stiction::test {
namespace {

using Kind = Tendon::Part::Kind;

/// A site, sphere, cylinder or pulley on any link.
Tendon::Part random_part(Random& random, int links, Kind kind) {
  Tendon::Part part;
  part.kind = kind;
  part.body = random.index(links + 1) - 1;
  part.pose = pose_of(random_vector(random, 1.0), random_rotation(random));
  part.radius = 0.1 + 0.4 * random.uniform();
  part.has_side = random.uniform() < 0.6;
  part.side_body = part.body;
  part.side = part.pose * random_vector(random, part.radius);
  part.divisor = 1.0 + 2.0 * random.uniform();
  return part;
}

/// Sites with obstacles and pulleys among them.
Tendon random_tendon(Random& random, int links) {
  Tendon tendon;
  tendon.kind = Tendon::Kind::spatial;
  tendon.stiffness = 10.0;
  tendon.spring_at_rest = true;
  for (int i = 0; i < 5; ++i) {
    tendon.path.push_back(random_part(random, links, Kind::site));
    const double draw = random.uniform();
    if (draw < 0.6) {
      const Kind kind = draw < 0.3 ? Kind::sphere : Kind::cylinder;
      tendon.path.push_back(random_part(random, links, kind));
    } else if (draw < 0.7) {
      tendon.path.push_back(random_part(random, links, Kind::site));
      tendon.path.push_back(random_part(random, links, Kind::pulley));
      tendon.path.push_back(random_part(random, links, Kind::site));
    }
  }
  tendon.path.push_back(random_part(random, links, Kind::site));
  return tendon;
}

/// Random trees, some with prescribed roots, with three tendons each.
template <class Check>
void for_each_robot_with_tendons(int trees, Check check) {
  TreeOptions options;
  options.kinematic = true;
  options.largest = 12;
  for (int seed = 1; seed <= trees; ++seed) {
    SCOPED_TRACE("random tree, seed " + std::to_string(seed));
    Random random(static_cast<std::uint64_t>(seed));
    ModelBuilder builder = make_builder(random_tree(random, options));
    for (int i = 0; i < 3; ++i) builder.add_tendon(random_tendon(random, builder.link_count()));
    check(builder.build(), random);
  }
}

double length_at(const Model& model, DynamicsData<double>& data, const Eigen::VectorXd& q,
                 const Tendon& tendon) {
  update_positions<double>(model, data, as_span(q));
  return tendon_length<double>(model, data, as_span(q), tendon);
}

TEST(Tendons, MomentsAreTheDerivativesOfLengths) {
  int compared = 0;
  int kinks = 0;
  for_each_robot_with_tendons(200, [&](const Model& model, Random& random) {
    const RandomState state(random, model);
    DynamicsData<double> data(model);
    update_kinematics(model, data, state.q, state.v);
    TendonSet tendons(model);
    tendons.update(model, data, as_span(state.q));
    const double h = 1e-6;
    Eigen::VectorXd ahead(model.position_count());
    Eigen::VectorXd behind(model.position_count());
    integrate<double>(model, as_span(state.q), as_span(state.v), h, as_span(ahead));
    integrate<double>(model, as_span(state.q), as_span(state.v), -h, as_span(behind));
    for (int i = 0; i < 3; ++i) {
      const Tendon& tendon = model.tendons()[static_cast<std::size_t>(i)];
      const double now = length_at(model, data, state.q, tendon);
      EXPECT_EQ(now, tendons.length(i));
      const double next = length_at(model, data, ahead, tendon);
      const double last = length_at(model, data, behind, tendon);
      // Where a thread jumps from one side of an obstacle to the other there is no derivative.
      if (std::abs(next - 2.0 * now + last) > 1e-8) {
        ++kinks;
        continue;
      }
      const double speed = (next - last) / (2.0 * h);
      EXPECT_NEAR(tendons.speed(i, as_span(state.v)), speed, 1e-6 * (1.0 + std::abs(speed)));
      ++compared;
    }
  });
  EXPECT_GT(compared, 590);
  EXPECT_LT(kinks, 10);
}

TEST(Tendons, InitialLengthsAreThoseOfTheInitialPositions) {
  for_each_robot_with_tendons(50, [](const Model& model, Random&) {
    DynamicsData<double> data(model);
    for (const Tendon& tendon : model.tendons()) {
      const double length = length_at(model, data, model.initial_positions(), tendon);
      EXPECT_NEAR(tendon.initial_length, length, 1e-12 * (1.0 + length));
      // Recipes have springs that rest at the initial positions.
      EXPECT_NEAR(tendon.spring_range[0], length, 1e-12 * (1.0 + length));
    }
  });
}

TEST(Tendons, RowsOfTheDelassusMatrixAreThoseOfDenseMatrices) {
  int compared = 0;
  for_each_robot_with_tendons(200, [&](const Model& model, Random& random) {
    const RandomState state(random, model);
    DynamicsData<double> data(model);
    update_kinematics(model, data, state.q, state.v);
    factorize<double>(model, data);
    TendonSet tendons(model);
    tendons.update(model, data, as_span(state.q));
    const Eigen::Index n = model.velocity_count();
    Eigen::MatrixXd J = Eigen::MatrixXd::Zero(3, n);
    DelassusKernel<double> kernel(model, 3);
    kernel.begin(3);
    for (int i = 0; i < 3; ++i) {
      for (const MomentTerm& term : tendons.moment(i)) J(i, term.index) += term.coefficient;
      const std::vector<int> bodies =
          bodies_moved_by(model, model.tendons()[static_cast<std::size_t>(i)]);
      kernel.set_moment(model, data, i, tendons.moment(i), bodies);
    }
    for (const Joint& joint : model.joints()) {
      if (joint.kinematic) J.middleCols<6>(joint.velocity_index).setZero();
    }
    Eigen::MatrixXd M = mass_matrix(model, data);
    const Eigen::MatrixXd G = J * M.llt().solve(J.transpose().eval());
    const double size = G.cwiseAbs().maxCoeff();
    if (size == 0.0) return;
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) {
        EXPECT_NEAR(kernel.block(i, j).c0.x, G(i, j), 1e-10 * size);
        ++compared;
      }
    }
  });
  EXPECT_GT(compared, 1500);
}

TEST(Tendons, HaveTheSameLengthInALane) {
  for_each_robot_with_tendons(20, [](const Model& model, Random& random) {
    DynamicsData<Lane> lanes(model);
    DynamicsData<double> data(model);
    std::vector<Eigen::VectorXd> states;
    std::vector<Lane> q(static_cast<std::size_t>(model.position_count()));
    for (std::size_t slot = 0; slot < lane_width; ++slot) {
      states.push_back(random_positions(random, model));
    }
    for (std::size_t k = 0; k < q.size(); ++k) {
      double numbers[lane_width];
      for (std::size_t slot = 0; slot < lane_width; ++slot) {
        numbers[slot] = states[slot][static_cast<Eigen::Index>(k)];
      }
      q[k] = Lane::load_unaligned(numbers);
    }
    update_positions<Lane>(model, lanes, q);
    for (const Tendon& tendon : model.tendons()) {
      double lengths[lane_width];
      tendon_length<Lane>(model, lanes, q, tendon).store_unaligned(lengths);
      for (std::size_t slot = 0; slot < lane_width; ++slot) {
        EXPECT_EQ(lengths[slot], length_at(model, data, states[slot], tendon));
      }
    }
  });
}

}  // namespace
}  // namespace stiction::test
