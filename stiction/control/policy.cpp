#include "stiction/control/policy.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fstream>
#include <nlohmann/json.hpp>
#include <numbers>
#include <stdexcept>
#include <utility>

#include "stiction/core/problem.hpp"

namespace stiction {

namespace {

constexpr const char* policy_format = "stiction policy 1";
/// Of velocity, turning and joint velocities in what a policy sees.
constexpr double velocity_scale = 2.0, turning_scale = 0.25, joint_velocity_scale = 0.05;
/// Numbers that a policy sees beside those of its joints.
constexpr Eigen::Index base_numbers = 14;
/// Sum of the entries of a command below which the robot stands.
constexpr double standing_command = 0.1;

[[noreturn]] void refuse(const std::filesystem::path& file, const std::string& what,
                         const std::string& remedy) {
  ProblemList problems;
  problems.error({file.string()}, what, remedy);
  throw InputError(std::move(problems));
}

Eigen::VectorXd vector_of(const nlohmann::json& list) {
  const auto numbers = list.get<std::vector<double>>();
  return Eigen::Map<const Eigen::VectorXd>(numbers.data(),
                                           static_cast<Eigen::Index>(numbers.size()));
}

LayeredNetwork::Layer layer_of(const nlohmann::json& document) {
  LayeredNetwork::Layer layer;
  const auto rows = document.at("weights").get<std::vector<std::vector<double>>>();
  layer.biases = vector_of(document.at("biases"));
  if (rows.empty()) throw std::invalid_argument("a layer has no weights");
  layer.weights.resize(static_cast<Eigen::Index>(rows.size()),
                       static_cast<Eigen::Index>(rows.front().size()));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].size() != rows.front().size()) {
      throw std::invalid_argument("the rows of a layer differ in length");
    }
    for (std::size_t k = 0; k < rows[i].size(); ++k) {
      layer.weights(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(k)) = rows[i][k];
    }
  }
  return layer;
}

}  // namespace

LayeredNetwork::LayeredNetwork(std::vector<Layer> layers) : layers_(std::move(layers)) {
  if (layers_.empty()) throw std::invalid_argument("a network needs a layer");
  for (std::size_t k = 0; k < layers_.size(); ++k) {
    const Layer& layer = layers_[k];
    if (layer.weights.rows() != layer.biases.size() || layer.biases.size() == 0) {
      throw std::invalid_argument(fmt::format("layer {} has {} rows of weights, but {} biases", k,
                                              layer.weights.rows(), layer.biases.size()));
    }
    if (k > 0 && layer.weights.cols() != layers_[k - 1].biases.size()) {
      throw std::invalid_argument(fmt::format("layer {} takes {} numbers, but gets {}", k,
                                              layer.weights.cols(), layers_[k - 1].biases.size()));
    }
    if (!layer.weights.allFinite() || !layer.biases.allFinite()) {
      throw std::invalid_argument(fmt::format("layer {} contains NaN or infinity", k));
    }
    values_.emplace_back(layer.biases.size());
  }
}

const Eigen::VectorXd& LayeredNetwork::answer(const Eigen::VectorXd& input) {
  const Eigen::VectorXd* from = &input;
  for (std::size_t k = 0; k < layers_.size(); ++k) {
    Eigen::VectorXd& value = values_[k];
    value = layers_[k].biases;
    value.noalias() += layers_[k].weights * *from;
    if (k + 1 < layers_.size()) {
      for (double& x : value) x = x > 0.0 ? x : std::expm1(x);
    }
    from = &value;
  }
  return values_.back();
}

Policy::Policy(const std::filesystem::path& file, const Model& model) {
  std::ifstream stream(file);
  if (!stream) refuse(file, "the file cannot be read", "give a file that save_policy() wrote");
  try {
    const nlohmann::json document = nlohmann::json::parse(stream);
    if (document.at("format") != policy_format) {
      throw std::invalid_argument(fmt::format("its format is not '{}'", policy_format));
    }
    if (!document.contains("stride")) {
      throw std::invalid_argument(
          "it has no 'stride', so its network was trained without a clock; train it anew");
    }
    interval_ = document.at("control_interval").get<double>();
    stride_ = document.at("stride").get<double>();
    stiffness_ = document.at("stiffness").get<double>();
    damping_ = document.at("damping").get<double>();
    action_scale_ = document.at("action_scale").get<double>();
    pose_ = vector_of(document.at("pose"));
    const Eigen::VectorXd scales = vector_of(document.at("command_scale"));
    if (scales.size() != 3) throw std::invalid_argument("command_scale needs three numbers");
    command_scale_ = scales;
    const bool usable =
        interval_ > 0.0 && stride_ > 0.0 && stiffness_ >= 0.0 && damping_ >= 0.0 &&
        std::isfinite(interval_ + stride_ + stiffness_ + damping_ + action_scale_) &&
        pose_.allFinite() && scales.allFinite();
    if (!usable) throw std::invalid_argument("a gain, scale or interval is out of range");
    for (const auto& name : document.at("joints").get<std::vector<std::string>>()) {
      const auto joint = model.find_joint(name);
      if (!joint || velocity_size(model.joint(*joint).kind) != 1) {
        throw std::invalid_argument(
            fmt::format("the scene has no joint '{}' with one velocity", name));
      }
      position_indices_.push_back(model.joint(*joint).position_index);
      velocity_indices_.push_back(model.joint(*joint).velocity_index);
    }
    std::vector<LayeredNetwork::Layer> layers;
    for (const nlohmann::json& layer : document.at("layers")) layers.push_back(layer_of(layer));
    network_.emplace_back(std::move(layers));
  } catch (const nlohmann::json::exception& error) {
    refuse(file, fmt::format("the file is no policy: {}", error.what()),
           "give a file that save_policy() wrote");
  } catch (const std::invalid_argument& error) {
    refuse(file, fmt::format("the policy cannot be used: {}", error.what()),
           "give the scene that it was trained in, and a file that save_policy() wrote");
  }
  const auto count = static_cast<Eigen::Index>(position_indices_.size());
  const bool floats = model.body_count() > 0 && model.joint(0).kind == JointKind::floating;
  if (!floats || pose_.size() != count || network_[0].output_size() != count ||
      network_[0].input_size() != base_numbers + 2 * count) {
    refuse(
        file,
        fmt::format("the policy has {} joints, {} numbers of a pose, and a network from {} to {} "
                    "numbers; that fits no robot with a floating base as first joint",
                    count, pose_.size(), network_[0].input_size(), network_[0].output_size()),
        "give the scene that it was trained in");
  }
  observation_.resize(base_numbers + 2 * count);
  targets_ = pose_;
}

void Policy::observe(const State& state) {
  const Eigen::Quaterniond turn(state.q[6], state.q[3], state.q[4], state.q[5]);
  const Eigen::Quaterniond into_base = turn.conjugate();
  observation_.segment<3>(0) = velocity_scale * (into_base * state.v.segment<3>(0));
  observation_.segment<3>(3) = turning_scale * (into_base * state.v.segment<3>(3));
  observation_.segment<3>(6) = into_base * -Eigen::Vector3d::UnitZ();
  observation_.segment<3>(9) = command_scale_.cwiseProduct(command);
  const double walks = command.lpNorm<1>() > standing_command ? 1.0 : 0.0;
  const double phase = 2.0 * std::numbers::pi * std::fmod(state.time / stride_, 1.0);
  observation_[12] = walks * std::sin(phase);
  observation_[13] = walks * std::cos(phase);
  const auto count = static_cast<Eigen::Index>(position_indices_.size());
  for (Eigen::Index k = 0; k < count; ++k) {
    const auto at = static_cast<std::size_t>(k);
    observation_[base_numbers + k] = state.q[position_indices_[at]] - pose_[k];
    observation_[base_numbers + count + k] = joint_velocity_scale * state.v[velocity_indices_[at]];
  }
}

const Eigen::VectorXd& Policy::targets(const State& state) {
  observe(state);
  const Eigen::VectorXd& answer = network_[0].answer(observation_);
  for (Eigen::Index k = 0; k < targets_.size(); ++k) {
    targets_[k] = pose_[k] + action_scale_ * std::clamp(answer[k], -1.0, 1.0);
  }
  return targets_;
}

}  // namespace stiction
