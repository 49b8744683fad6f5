// Implements [Tuckerman1925]: the fluid that moves along with an ellipsoid. Notation there and
// here: κ → kappa, semi-axes a, b, c → first, second, third.

#include "stiction/model/fluid.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace stiction {

namespace {

/// The Gauss-Kronrod rule of 15 points: those of one half of [-1, 1] with their weights.
constexpr std::array<std::array<double, 2>, 8> kronrod{
    {{0.991455371120812639, 0.022935322010529225},
     {0.949107912342758525, 0.063092092629978553},
     {0.864864423359769073, 0.104790010322250184},
     {0.741531185599394440, 0.140653259715525919},
     {0.586087235467691130, 0.169004726639267903},
     {0.405845151377397167, 0.190350578064785410},
     {0.207784955007898468, 0.204432940075298892},
     {0.0, 0.209482141084727828}}};

/// κ = abc ∫ dλ / ((a² + λ) √((a² + λ)(b² + λ)(c² + λ))) over λ from 0 to infinity, which
/// λ ~ x³ / (1 − x)² brings to x from 0 to 1.
double kappa(double first, double second, double third) {
  const double scale = std::pow(first * first * first * second * third, 0.4);
  const auto integrand = [&](double x) {
    const double rest = 1.0 - x;
    const double lambda = scale * x * x * x / (rest * rest);
    const double slope = scale * x * x * (3.0 - x) / (rest * rest * rest);
    const auto factor = [lambda](double axis) { return 1.0 + lambda / (axis * axis); };
    return slope / (factor(first) * std::sqrt(factor(first) * factor(second) * factor(third)));
  };
  double sum = 0.0;
  for (const auto& [point, weight] : kronrod) {
    const double half = 0.5 * point;
    sum += 0.5 * weight * integrand(0.5 + half);
    if (point != 0.0) sum += 0.5 * weight * integrand(0.5 - half);
  }
  return sum / (first * first);
}

}  // namespace

void set_virtual_mass(FluidEllipsoid& ellipsoid) {
  constexpr double tiny = 1e-14;
  const Eigen::Vector3d& axes = ellipsoid.semi_axes;
  const double volume = 4.0 / 3.0 * std::numbers::pi * axes.prod();
  const Eigen::Vector3d k(kappa(axes[0], axes[1], axes[2]), kappa(axes[1], axes[2], axes[0]),
                          kappa(axes[2], axes[0], axes[1]));
  for (int i = 0; i < 3; ++i) {
    const int j = (i + 1) % 3;
    const int l = (i + 2) % 3;
    const double squares = axes[j] * axes[j] + axes[l] * axes[l];
    const double difference = axes[j] * axes[j] - axes[l] * axes[l];
    const double below = std::abs(2.0 * difference + squares * (k[j] - k[l]));
    ellipsoid.virtual_volume[i] = volume * k[i] / std::max(tiny, 2.0 - k[i]);
    ellipsoid.virtual_moment[i] =
        volume / 5.0 * difference * difference * std::abs(k[l] - k[j]) / std::max(tiny, below);
  }
}

}  // namespace stiction
