#include "experiments/contact_points.hpp"

#include <fmt/format.h>
#include <regex>

#include "experiments/motion_file.hpp"
#include "stiction/core/problem.hpp"
#include "stiction/io/load.hpp"
#include "stiction/io/xml.hpp"
#include "stiction/model/model_builder.hpp"

namespace stiction::experiments {

namespace {

constexpr double point_radius = 1e-9;

/// Writes a sphere into the element of its link.
void insert_point(const std::filesystem::path& urdf, const PointOnLink& point, std::string& text) {
  const std::size_t link = text.find(fmt::format("<link name=\"{}\"", point.link));
  const std::size_t end = link == std::string::npos ? link : text.find('>', link);
  if (end == std::string::npos || text[end - 1] == '/') {
    ProblemList problems;
    problems.error({urdf.string(), 0, ""},
                   fmt::format("there is no link '{}' with a mass for a contact point", point.link),
                   "give the robot that the motion was made for");
    throw InputError(std::move(problems));
  }
  const Eigen::Vector3d& p = point.position;
  text.insert(end + 1, fmt::format("<collision><origin xyz=\"{} {} {}\"/><geometry><sphere "
                                   "radius=\"{}\"/></geometry></collision>",
                                   p.x(), p.y(), p.z(), point_radius));
}

/// Joints turn without end, and no force is too large.
std::string without_limits(const std::string& text) {
  static const std::regex limit("<limit[^>]*/>");
  static const std::regex revolute("type=\"revolute\"");
  return std::regex_replace(std::regex_replace(text, limit, ""), revolute, "type=\"continuous\"");
}

}  // namespace

Model load_with_contact_points(const std::filesystem::path& urdf,
                               std::span<const PointOnLink> points) {
  std::string text = without_limits(text_without_shapes(urdf));
  for (const PointOnLink& point : points) insert_point(urdf, point, text);
  LoadOptions options;
  options.base = BaseKind::floating;
  options.keep_inertias = true;
  ModelBuilder builder;
  ProblemList problems;
  add_urdf(builder, XmlFile(text, urdf.string()), urdf.parent_path(), options, problems);
  Shape floor;
  floor.name = "floor";
  floor.kind = ShapeKind::plane;
  builder.add_world_shape(floor);
  if (problems.has_errors()) throw InputError(std::move(problems));
  return builder.build();
}

}  // namespace stiction::experiments
