#include "tests/support/spring_contacts.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <unsupported/Eigen/MatrixFunctions>

namespace stiction::test {

namespace {

using Index = Eigen::Index;
template <class Real>
using Matrix = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic>;
template <class Real>
using Vector = Eigen::Matrix<Real, Eigen::Dynamic, 1>;

std::span<const double> span_of(const Eigen::VectorXd& v) {
  return {v.data(), static_cast<std::size_t>(v.size())};
}
std::span<double> span_of(Eigen::VectorXd& v) {
  return {v.data(), static_cast<std::size_t>(v.size())};
}

/// [A b x₀ 0; …] for x = (K^½ Δp, h K^½ Δṗ / scale) and the time in steps.
template <class Real>
Matrix<Real> augmented_matrix(const SpringContacts& contacts, double step, Real scale) {
  const Index m = contacts.rows();
  const Real h = step;
  const Vector<Real> root = contacts.stiffness.cast<Real>().cwiseSqrt();
  const Vector<Real> ratio =
      contacts.damping.cast<Real>().cwiseQuotient(contacts.stiffness.cast<Real>());
  const Matrix<Real> S =
      root.asDiagonal() * contacts.upsilon.template cast<Real>() * root.asDiagonal();
  Matrix<Real> A = Matrix<Real>::Zero(2 * m + 3, 2 * m + 3);
  A.block(0, m, m, m).diagonal().setConstant(scale);
  A.block(m, 0, m, m) = -(h * h / scale) * S;
  A.block(m, m, m, m) = -h * S * ratio.asDiagonal();
  A.block(m, 2 * m, m, 1) = (h * h / scale) * root.cwiseProduct(contacts.acceleration.cast<Real>());
  A.block(0, 2 * m + 1, m, 1) = root.cwiseProduct(contacts.position.cast<Real>());
  A.block(m, 2 * m + 1, m, 1) = (h / scale) * root.cwiseProduct(contacts.velocity.cast<Real>());
  A(2 * m, 2 * m + 1) = 1;
  A(2 * m + 1, 2 * m + 2) = 1;
  return A;
}

/// Makes both blocks of A off the diagonal equally large.
double block_scale(const SpringContacts& contacts, double step) {
  const double norm = contacts.upsilon.lpNorm<Eigen::Infinity>() * contacts.stiffness.maxCoeff();
  return std::max(1.0, step * std::sqrt(norm));
}

template <class Real>
SpringResponse read_exponential(const SpringContacts& contacts, double step, Real scale,
                                const Matrix<Real>& A, const Matrix<Real>& exponential_less_one) {
  const Index m = contacts.rows();
  const Matrix<Real>& E = exponential_less_one;
  const Vector<Real> root = contacts.stiffness.cast<Real>().cwiseSqrt();
  const Vector<Real> damping =
      contacts.damping.cast<Real>().cwiseQuotient(root) * (scale / Real(step));
  const auto force = [&](const Vector<Real>& x) {
    return Vector<Real>(-root.cwiseProduct(x.head(m)) - damping.cwiseProduct(x.tail(m)));
  };
  const Vector<Real> start = A.col(2 * m + 1).head(2 * m);
  const Vector<Real> change = E.topLeftCorner(2 * m, 2 * m) * start + E.col(2 * m).head(2 * m);
  SpringResponse response(m);
  response.average = force(E.col(2 * m + 1).head(2 * m)).template cast<double>();
  response.double_average = (2 * force(E.col(2 * m + 2).head(2 * m))).template cast<double>();
  const Vector<Real> end = start + change;
  response.end_position = end.head(m).cwiseQuotient(root).template cast<double>();
  response.end_velocity =
      (end.tail(m).cwiseQuotient(root) * (scale / Real(step))).template cast<double>();
  return response;
}

}  // namespace

SpringContacts::SpringContacts(Index rows)
    : upsilon(Eigen::MatrixXd::Zero(rows, rows)),
      stiffness(Eigen::VectorXd::Zero(rows)),
      damping(stiffness),
      position(stiffness),
      velocity(stiffness),
      acceleration(stiffness) {}

LinearContacts SpringContacts::view() const {
  return {.rows = rows(),
          .upsilon = upsilon.data(),
          .stride = upsilon.rows(),
          .stiffness = span_of(stiffness),
          .damping = span_of(damping),
          .position = span_of(position),
          .velocity = span_of(velocity),
          .acceleration = span_of(acceleration)};
}

SpringResponse::SpringResponse(Index rows)
    : average(Eigen::VectorXd::Zero(rows)),
      double_average(average),
      end_position(average),
      end_velocity(average) {}

ContactResponse SpringResponse::view() {
  return {.average = span_of(average),
          .double_average = span_of(double_average),
          .end_position = span_of(end_position),
          .end_velocity = span_of(end_velocity)};
}

SpringContacts random_contacts(Random& random, int points, int freedoms, double stiffness,
                               double relaxation) {
  SpringContacts contacts(3 * points);
  const Index m = contacts.rows();
  Eigen::MatrixXd J(m, freedoms);
  for (Index j = 0; j < freedoms; ++j) {
    const double root_of_mass = std::sqrt(freedoms * std::pow(10.0, random.uniform(-1.0, 1.0)));
    for (Index i = 0; i < m; ++i) {
      // In steps of 2⁻¹⁰, so that Υ is computed without rounding and has the rank of J.
      J(i, j) = std::round(1024.0 * random.normal() / root_of_mass) / 1024.0;
    }
  }
  contacts.upsilon = J * J.transpose();
  const double softer = std::pow(10.0, random.uniform(-1.0, 0.0));
  for (Index i = 0; i < m; ++i) {
    contacts.stiffness[i] = i % 3 == 2 ? stiffness : softer * stiffness;
    contacts.damping[i] = relaxation * contacts.stiffness[i];
    contacts.position[i] = random.normal() / contacts.stiffness[i] * 10.0;
    contacts.velocity[i] = 0.1 * random.normal();
    contacts.acceleration[i] = 10.0 * random.normal();
  }
  return contacts;
}

SpringResponse taylor_response(const SpringContacts& contacts, double step) {
  using Real = long double;
  const Real scale = block_scale(contacts, step);
  const Matrix<Real> A = augmented_matrix<Real>(contacts, step, scale);
  int squarings = 0;
  Real norm = std::max<Real>(1, A.cwiseAbs().colwise().sum().maxCoeff());
  for (; norm > 1.0L / 64; norm /= 2) ++squarings;
  const Matrix<Real> small = A * std::pow(0.5L, squarings);
  // At norm 1/64, term 12 is below 1e-30. R = exp − I, so that small numbers stay.
  Matrix<Real> R = small / 12;
  for (int k = 11; k >= 1; --k) R = (small + small * R).eval() / k;
  for (int k = 0; k < squarings; ++k) R = (2 * R + R * R).eval();
  return read_exponential<Real>(contacts, step, scale, A, R);
}

SpringResponse eigen_response(const SpringContacts& contacts, double step) {
  const double scale = block_scale(contacts, step);
  const Eigen::MatrixXd A = augmented_matrix<double>(contacts, step, scale);
  Eigen::MatrixXd E = A.exp();
  E.diagonal().array() -= 1.0;
  return read_exponential<double>(contacts, step, scale, A, E);
}

double force_scale(const SpringContacts& contacts, const SpringResponse& response) {
  const auto spring_and_damper = [&](const Eigen::VectorXd& p, const Eigen::VectorXd& v) {
    return std::max(contacts.stiffness.cwiseProduct(p).lpNorm<Eigen::Infinity>(),
                    contacts.damping.cwiseProduct(v).lpNorm<Eigen::Infinity>());
  };
  return std::max({spring_and_damper(contacts.position, contacts.velocity),
                   spring_and_damper(response.end_position, response.end_velocity),
                   response.average.lpNorm<Eigen::Infinity>(),
                   response.double_average.lpNorm<Eigen::Infinity>()});
}

double relative_difference(const SpringContacts& contacts, const SpringResponse& response,
                           const SpringResponse& expected) {
  const Eigen::VectorXd p =
      contacts.stiffness.cwiseProduct(response.end_position - expected.end_position);
  const Eigen::VectorXd v =
      contacts.damping.cwiseProduct(response.end_velocity - expected.end_velocity);
  const double largest =
      std::max({(response.average - expected.average).lpNorm<Eigen::Infinity>(),
                (response.double_average - expected.double_average).lpNorm<Eigen::Infinity>(),
                p.lpNorm<Eigen::Infinity>(), v.lpNorm<Eigen::Infinity>()});
  return largest / force_scale(contacts, expected);
}

}  // namespace stiction::test
