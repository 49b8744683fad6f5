#include "stiction/control/walking_plan.hpp"

#include <cmath>
#include <stdexcept>

#include "stiction/core/index.hpp"

namespace stiction {

WalkingPlan::WalkingPlan(const Eigen::Vector3d& center_of_mass,
                         const std::array<Eigen::Vector3d, 2>& soles, std::vector<Footstep> steps,
                         const WalkingPlanOptions& options)
    : soles_(soles), steps_(std::move(steps)), options_(options) {
  for (const double time : {options.start_time, options.single_support, options.double_support,
                            options.end_time, options.gravity}) {
    if (!(time > 0.0)) throw std::invalid_argument("times and gravity of a walk must be positive");
  }
  height_ = center_of_mass.z();
  const double above = height_ - 0.5 * (soles[0].z() + soles[1].z());
  if (!(above > 0.0)) throw std::invalid_argument("the centre of mass is below the soles");
  omega_ = std::sqrt(options.gravity / above);
  std::array<Eigen::Vector3d, 2> feet = soles;
  // A piece of no length, for the first real one to begin at; removed below.
  Piece& first = pieces_.emplace_back();
  first.from = first.to = center_of_mass.head<2>();
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    const int foot = steps_[i].foot;
    if (foot != 0 && foot != 1) throw std::invalid_argument("a footstep is of foot 0 or 1");
    const Eigen::Vector2d standing = feet[index(1 - foot)].head<2>();
    add_piece(i == 0 ? options.start_time : options.double_support, standing, -1);
    add_piece(options.single_support, standing, static_cast<int>(i));
    feet[index(foot)] = steps_[i].position;
  }
  const Eigen::Vector2d middle = 0.5 * (feet[0] + feet[1]).head<2>();
  add_piece(options.double_support, middle, -1);
  add_piece(options.end_time, middle, -1);
  pieces_.erase(pieces_.begin());
  solve_pendulum(center_of_mass.head<2>());
}

void WalkingPlan::add_piece(double duration, const Eigen::Vector2d& to, int step) {
  Piece piece;
  piece.start = pieces_.back().end;
  piece.end = piece.start + duration;
  piece.from = pieces_.back().to;
  piece.to = to;
  piece.step = step;
  pieces_.push_back(piece);
}

void WalkingPlan::solve_pendulum(const Eigen::Vector2d& start) {
  // Growing part: ξ = c + ċ/ω = p + ṗ/ω + 2 a e^{ω(t − end)} is continuous, and ends at rest.
  Eigen::Vector2d xi = pieces_.back().to;
  for (auto piece = pieces_.rbegin(); piece != pieces_.rend(); ++piece) {
    const double T = piece->end - piece->start;
    const Eigen::Vector2d slope = (piece->to - piece->from) / (T * omega_);
    piece->growing = 0.5 * (xi - piece->to - slope);
    xi = piece->from + slope + 2.0 * std::exp(-omega_ * T) * piece->growing;
  }
  // Decaying part: c is continuous, and begins where the robot is.
  Eigen::Vector2d c = start;
  for (Piece& piece : pieces_) {
    const double decay = std::exp(-omega_ * (piece.end - piece.start));
    piece.decaying = c - piece.from - decay * piece.growing;
    c = piece.to + piece.growing + decay * piece.decaying;
  }
}

WalkingReference WalkingPlan::at(double time) const {
  const double t = std::min(std::max(time, 0.0), duration());
  std::size_t i = 0;
  while (i + 1 < pieces_.size() && t >= pieces_[i].end) ++i;
  const Piece& piece = pieces_[i];
  const double T = piece.end - piece.start;
  const Eigen::Vector2d slope = (piece.to - piece.from) / T;
  const Eigen::Vector2d p = piece.from + (t - piece.start) * slope;
  const Eigen::Vector2d grown = std::exp(omega_ * (t - piece.end)) * piece.growing;
  const Eigen::Vector2d decayed = std::exp(-omega_ * (t - piece.start)) * piece.decaying;
  WalkingReference reference;
  reference.zero_moment_point = p;
  auto& com = reference.center_of_mass;
  com.position << p + grown + decayed, height_;
  com.velocity << slope + omega_ * (grown - decayed), 0.0;
  com.acceleration << omega_ * omega_ * (grown + decayed), 0.0;
  if (time > duration()) com.velocity.setZero();
  for (std::size_t foot = 0; foot < 2; ++foot) {
    reference.soles[foot] = {soles_[foot], Eigen::Vector3d::Zero(), Eigen::Vector3d::Zero()};
  }
  int current = -1;
  for (std::size_t k = 0; k <= i; ++k) current = std::max(current, pieces_[k].step);
  for (int k = 0; k <= current; ++k) {
    const Footstep& step = steps_[index(k)];
    auto& sole = reference.soles[index(step.foot)];
    if (k == piece.step) {
      sole = swing(sole.position, step.position, options_.swing_height, t - piece.start, T);
      reference.on_floor[index(step.foot)] = false;
    } else {
      sole.position = step.position;
    }
  }
  return reference;
}

std::vector<Footstep> steps_ahead(const std::array<Eigen::Vector3d, 2>& soles, int count,
                                  double length, int first) {
  std::vector<Footstep> steps;
  std::array<Eigen::Vector3d, 2> feet = soles;
  for (int i = 0; i <= count; ++i) {
    const int foot = i % 2 == 0 ? first : 1 - first;
    // The last step only catches up.
    const double ahead = feet[index(1 - foot)].x() + (i < count ? length : 0.0);
    feet[index(foot)].x() = ahead;
    steps.push_back({foot, feet[index(foot)]});
  }
  return steps;
}

}  // namespace stiction
