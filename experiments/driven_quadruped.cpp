#include "experiments/driven_quadruped.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>
#include <string>

#include "stiction/contact/one_contact_solvers.hpp"
#include "stiction/core/paths.hpp"
#include "stiction/core/random.hpp"
#include "stiction/dynamics/articulated_body.hpp"
#include "stiction/dynamics/delassus.hpp"
#include "stiction/dynamics/integrate.hpp"
#include "stiction/dynamics/jacobian.hpp"
#include "stiction/dynamics/kinematics.hpp"
#include "stiction/io/load.hpp"

namespace stiction::experiments {

namespace {

constexpr double foot_radius = 0.031;    // [m]
constexpr double foot_height = 0.02325;  // of the sphere's centre above the foot's frame [m]
constexpr std::array feet{"LF_FOOT", "RF_FOOT", "LH_FOOT", "RH_FOOT"};
/// Hip, thigh, knee of each foot; front knees point back, hind knees forward.
constexpr double nominal[4][3] = {
    {0.03, 0.4, -0.8}, {-0.03, 0.4, -0.8}, {0.03, -0.4, 0.8}, {-0.03, -0.4, 0.8}};

Model load_anymal() {
  LoadOptions options;
  options.base = BaseKind::floating;
  return load_model(models_folder() / "anymal.urdf", options).model;
}

/// The robot, its state and one step of it.
class Drive {
 public:
  explicit Drive(const DriveOptions& options)
      : options_(options),
        model_(load_anymal()),
        data_(model_),
        kernel_(model_, 4),
        random_(options.seed),
        q_(static_cast<std::size_t>(model_.position_count())),
        v_(static_cast<std::size_t>(model_.velocity_count())),
        tau_(v_.size()),
        dv_(v_.size()),
        reference_(q_.size()),
        columns_(3 * v_.size()) {
    for (const char* name : feet) {
      const std::optional<int> frame = model_.find_frame(name);
      if (!frame) throw std::runtime_error(std::string("ANYmal has no frame ") + name);
      frames_.push_back(*frame);
    }
    reset();
  }

  void step(std::vector<SlipSample>& samples) {
    if (time_ >= options_.reset_time || base_height() < 0.2) reset();
    if (time_ >= next_reference_) choose_reference();
    control();
    articulated_body_algorithm<double>(model_, data_, q_, v_, tau_, dv_);
    for (std::size_t k = 0; k < v_.size(); ++k) v_[k] += options_.step * dv_[k];
    find_contacts();
    if (!contacts_.empty()) resolve(samples);
    integrate<double>(model_, q_, v_, options_.step, q_);
    time_ += options_.step;
  }

 private:
  [[nodiscard]] double base_height() const { return q_[2]; }

  template <class Visit>
  void for_each_leg_joint(Visit visit) const {
    for (std::size_t leg = 0; leg < 4; ++leg) {
      constexpr std::array parts{"_HAA", "_HFE", "_KFE"};
      for (std::size_t part = 0; part < 3; ++part) {
        const std::optional<int> joint =
            model_.find_joint(std::string(feet[leg]).substr(0, 2) + parts[part]);
        if (!joint) throw std::runtime_error("ANYmal lacks a leg joint");
        visit(model_.joint(*joint), nominal[leg][part]);
      }
    }
  }

  /// At rest just above the ground.
  void reset() {
    std::ranges::fill(q_, 0.0);
    std::ranges::fill(v_, 0.0);
    q_[2] = 0.6;
    q_[6] = 1.0;
    for_each_leg_joint([this](const Joint& joint, double angle) {
      q_[static_cast<std::size_t>(joint.position_index)] = angle;
    });
    if (std::abs(q_[3]) + std::abs(q_[4]) + std::abs(q_[5]) != 0.0) {
      throw std::logic_error("the quaternion of the base is not where it was expected");
    }
    time_ = 0.0;
    next_reference_ = 0.0;
  }

  void choose_reference() {
    for_each_leg_joint([this](const Joint& joint, double angle) {
      reference_[static_cast<std::size_t>(joint.position_index)] =
          angle + options_.reference_deviation * random_.normal();
    });
    next_reference_ = time_ + options_.reference_time;
  }

  void control() {
    static constexpr double stiffness = 40.0, damping = 1.0, limit = 80.0;  // [N·m, rad, s]
    std::ranges::fill(tau_, 0.0);
    for_each_leg_joint([this](const Joint& joint, double) {
      const std::size_t q = static_cast<std::size_t>(joint.position_index);
      const std::size_t v = static_cast<std::size_t>(joint.velocity_index);
      tau_[v] = std::clamp(stiffness * (reference_[q] - q_[q]) - damping * v_[v], -limit, limit);
    });
  }

  /// Feet that would be below the ground after this step. Needs the positions of the step.
  void find_contacts() {
    contacts_.clear();
    velocity_.clear();
    update_velocities();
    for (const int frame : frames_) {
      const int body = model_.frames()[static_cast<std::size_t>(frame)].body;
      const Eigen::Vector3d centre =
          frame_pose(model_, data_, frame) * Eigen::Vector3d(0.0, 0.0, foot_height);
      ContactPoint<double> contact;
      contact.body_b = body;
      contact.point = {centre.x(), centre.y(), centre.z() - foot_radius};
      Vector3<double> v = point_velocity(data_, body, contact.point);
      v.z += std::clamp(contact.point.z, -0.0005, 1.0) / options_.step;  // gap/h; pushed out gently
      if (v.z >= 0.0) continue;
      contacts_.push_back(contact);
      velocity_.push_back(v);
    }
  }

  /// Velocities of the bodies from v_ at unchanged positions. The factors stay as they are.
  void update_velocities() { update_kinematics<double>(model_, data_, q_, v_); }

  /// Per-contact iteration under maximum dissipation, and what it does to v.
  void resolve(std::vector<SlipSample>& samples) {
    const std::size_t n = contacts_.size();
    matrix_.resize(9 * n * n);
    factorize<double>(model_, data_);
    kernel_.propagate(model_, data_, contacts_);
    kernel_.delassus(matrix_);
    impulses_.assign(n, {});
    factors_.clear();
    for (std::size_t i = 0; i < n; ++i) {
      factors_.push_back(factorize_contact(diagonal(i, n), options_.friction));
    }
    for (int sweep = 0; sweep < 100; ++sweep) {
      if (this->sweep(samples) < 1e-6) break;  // [N·s], as in [PCI]
    }
    for (std::size_t i = 0; i < n; ++i) {
      kernel_.inverse_mass_times_transpose(model_, data_, static_cast<int>(i), columns_);
      const double l[3] = {impulses_[i].x, impulses_[i].y, impulses_[i].z};
      for (std::size_t k = 0; k < v_.size(); ++k) {
        for (std::size_t axis = 0; axis < 3; ++axis)
          v_[k] += columns_[axis * v_.size() + k] * l[axis];
      }
    }
  }

  /// Returns the largest change of an impulse.
  double sweep(std::vector<SlipSample>& samples) {
    const OneContactSolver<SlipNewton<Law::max_dissipation>> solve{{1e-12}};
    const std::size_t n = contacts_.size();
    double change = 0.0;
    for (std::size_t i = 0; i < n; ++i) {
      Vector3<double> c = velocity_[i];
      for (std::size_t k = 0; k < n; ++k) {
        if (k != i) c += block_times(i, k, n, impulses_[k]);
      }
      const ContactAnswer<double> answer = solve(factors_[i], c, impulses_[i]);
      if (answer.mode == 2.0) samples.push_back({factors_[i], c});
      change = std::max(change, norm(answer.impulse - impulses_[i]));
      impulses_[i] = answer.impulse;
    }
    return change;
  }

  [[nodiscard]] double entry(std::size_t row, std::size_t column, std::size_t n) const {
    return matrix_[row * 3 * n + column];
  }
  [[nodiscard]] Symmetric3<double> diagonal(std::size_t i, std::size_t n) const {
    const std::size_t r = 3 * i;
    return {entry(r, r, n),         entry(r, r + 1, n),     entry(r, r + 2, n),
            entry(r + 1, r + 1, n), entry(r + 1, r + 2, n), entry(r + 2, r + 2, n)};
  }
  [[nodiscard]] Vector3<double> block_times(std::size_t i, std::size_t k, std::size_t n,
                                            const Vector3<double>& x) const {
    const auto row = [&](std::size_t r) {
      return entry(3 * i + r, 3 * k, n) * x.x + entry(3 * i + r, 3 * k + 1, n) * x.y +
             entry(3 * i + r, 3 * k + 2, n) * x.z;
    };
    return {row(0), row(1), row(2)};
  }

  DriveOptions options_;
  Model model_;
  DynamicsData<double> data_;
  DelassusKernel<double> kernel_;
  Random random_;
  std::vector<int> frames_;
  std::vector<double> q_, v_, tau_, dv_, reference_, columns_, matrix_;
  double time_ = 0.0, next_reference_ = 0.0;
  std::vector<ContactPoint<double>> contacts_;
  std::vector<Vector3<double>> velocity_;  ///< of the contacts, gap rule included
  std::vector<Vector3<double>> impulses_;
  std::vector<ContactFactor<double>> factors_;
};

}  // namespace

double SlipSample::eccentricity() const {
  return factor.friction * std::hypot(factor.slope.x, factor.slope.y);
}

std::vector<SlipSample> record_slip_problems(int count, const DriveOptions& options) {
  Drive drive(options);
  std::vector<SlipSample> samples;
  while (static_cast<int>(samples.size()) < count) drive.step(samples);
  samples.resize(static_cast<std::size_t>(count));
  return samples;
}

}  // namespace stiction::experiments
