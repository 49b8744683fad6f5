#include "stiction/io/mjcf_assets.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "stiction/io/mesh_file.hpp"
#include "stiction/io/mjcf_mesh.hpp"

namespace stiction {

namespace {

template <class Map>
std::vector<std::string_view> names_of(const Map& map) {
  std::vector<std::string_view> names;
  for (const auto& entry : map) names.push_back(entry.first);
  return names;
}

/// The name of an asset: its own, or that of its file without folders and ending.
std::string asset_name(const pugi::xml_node& element) {
  const std::string name = element.attribute("name").value();
  if (!name.empty()) return name;
  return std::filesystem::path(element.attribute("file").value()).stem().string();
}

}  // namespace

MjcfAssets::MjcfAssets(const MjcfDocument& document, MjcfReport& report,
                       const MjcfCompilers& compilers, const MjcfDefaults& defaults,
                       std::string prefix)
    : document_(document),
      report_(report),
      compilers_(compilers),
      defaults_(defaults),
      prefix_(std::move(prefix)) {
  for (const MjcfPart& part : document.parts()) {
    if (!mesh_names_.contains(part.document)) read_model(part);
  }
}

void MjcfAssets::read_model(const MjcfPart& part) {
  Names& meshes = mesh_names_[part.document];
  Names& fields = field_names_[part.document];
  Names& materials = material_names_[part.document];
  Names& textures = texture_names_[part.document];
  for (const pugi::xml_node section : part.document->root().children("asset")) {
    for (const pugi::xml_node node : section.children()) {
      const std::string_view tag = node.name();
      if (tag != "mesh" && tag != "hfield" && tag != "material" && tag != "texture") continue;
      const std::string name = asset_name(node);
      if (tag == "texture") {
        // A sky needs no name.
        textures_.push_back(node);
        if (!name.empty()) textures.try_emplace(name, static_cast<int>(textures_.size()) - 1);
      } else if (name.empty()) {
        report_.error(document_.source(node), fmt::format("a {} has no name", tag),
                      "give it name=\"...\"");
      } else if (tag == "mesh") {
        MjcfMesh& mesh = meshes_.emplace_back();
        mesh.element = node;
        mesh.prefix = part.prefix;
        meshes.try_emplace(name, static_cast<int>(meshes_.size()) - 1);
      } else if (tag == "hfield") {
        MjcfHeightField& field = fields_.emplace_back();
        field.element = node;
        field.prefix = part.prefix;
        fields.try_emplace(name, static_cast<int>(fields_.size()) - 1);
      } else {
        materials_.push_back(node);
        materials.try_emplace(name, static_cast<int>(materials_.size()) - 1);
      }
    }
  }
}

std::optional<int> MjcfAssets::find(const NamesOfModels& names, const std::string& kind,
                                    const std::string& name, const MjcfAttributes& user) const {
  const Names& own = names.at(&document_.model_of(user.element()));
  const auto found = own.find(name);
  if (found != own.end()) return found->second;
  for (const MjcfPart& part : document_.parts()) {
    if (part.prefix.empty() || !name.starts_with(part.prefix)) continue;
    const Names& attached = names.at(part.document);
    const auto entry = attached.find(name.substr(part.prefix.size()));
    if (entry != attached.end()) return entry->second;
  }
  user.error(
      fmt::format("there is no {} '{}'", kind, name),
      report_.suggestion(name, names_of(own), fmt::format("define it in <asset> as <{}>", kind)));
  return std::nullopt;
}

std::filesystem::path MjcfAssets::path_of(const MjcfAttributes& attributes) const {
  const MjcfCompiler& compiler = compilers_.of(attributes.element());
  const std::filesystem::path path(attributes.text("file"));
  return document_.model_of(attributes.element()).folder() / compiler.mesh_folder /
         (compiler.strip_path ? path.filename() : path);
}

std::optional<int> MjcfAssets::find_mesh(const std::string& name, const MjcfAttributes& user) {
  return find(mesh_names_, "mesh", name, user);
}

std::optional<int> MjcfAssets::find_height_field(const std::string& name,
                                                 const MjcfAttributes& user) {
  return find(field_names_, "hfield", name, user);
}

std::optional<std::array<double, 4>> MjcfAssets::material_color(const std::string& name,
                                                                const MjcfAttributes& user) {
  const std::optional<int> position = find(material_names_, "material", name, user);
  if (!position) return std::nullopt;
  const pugi::xml_node node = materials_[static_cast<std::size_t>(*position)];
  const int class_index = defaults_.class_of(node, "class", MjcfDefaults::main_class);
  const MjcfAttributes attributes(document_, report_, node,
                                  defaults_.levels(class_index, "material"));
  return attributes.color("rgba").value_or(std::array<double, 4>{1, 1, 1, 1});
}

MjcfMesh& MjcfAssets::mesh(int position) {
  MjcfMesh& asset = meshes_[static_cast<std::size_t>(position)];
  if (!asset.read) read_mesh_asset(asset);
  asset.read = true;
  return asset;
}

void MjcfAssets::read_mesh_asset(MjcfMesh& asset) {
  const int class_index = defaults_.class_of(asset.element, "class", MjcfDefaults::main_class);
  const MjcfAttributes attributes(document_, report_, asset.element,
                                  defaults_.levels(class_index, "mesh"));
  const std::string file = attributes.text("file");
  const int most = attributes.integer("maxhullvert", -1);
  if (most != -1 && most < 4) {
    report_.error(attributes.source(), fmt::format("maxhullvert is {}", most),
                  "give 4 or more, or leave it out");
  }
  asset.most_hull_vertices = std::max(most, 0);
  if (attributes.has("builtin")) {
    asset.problem = "meshes generated by MuJoCo are not supported";
    asset.remedy = "save the mesh to an OBJ or STL file, or use a primitive geom";
  } else if (attributes.has("vertex")) {
    read_inline_mesh(asset, attributes);
  } else if (file.empty()) {
    asset.problem = "the mesh has neither a file nor vertices";
    asset.remedy = "give file=\"...\" or vertex=\"...\"";
  } else if (path_of(attributes).extension() == ".msh") {
    asset.mesh = read_msh(path_of(attributes), asset.problem, asset.paint);
    asset.remedy = "export the mesh again, or save it as STL or OBJ";
    if (asset.problem.empty() && asset.mesh.triangles.empty()) become_hull(asset);
  } else {
    MeshResult result = read_mesh(path_of(attributes), Eigen::Vector3d::Ones());
    asset.mesh = std::move(result.mesh);
    asset.paint = std::move(result.paint);
    asset.problem = std::move(result.problem);
    asset.remedy = std::move(result.remedy);
  }
  if (!asset.problem.empty()) return;
  asset.mesh.name = prefix_ + asset.prefix + asset_name(asset.element);
  move_vertices(asset, attributes);
  find_solid(asset, attributes);
}

/// Points without faces stand for their convex hull.
void MjcfAssets::become_hull(MjcfMesh& asset) {
  if (!add_convex_hull(asset.mesh)) {
    asset.problem = "all vertices lie in one plane";
    asset.remedy = "give vertices that span a volume";
    return;
  }
  asset.mesh.vertices = std::move(asset.mesh.hull_vertices);
  asset.mesh.triangles = std::move(asset.mesh.hull_triangles);
  asset.mesh.hull_vertices.clear();
  asset.mesh.hull_triangles.clear();
  asset.paint = {};
}

void MjcfAssets::read_inline_mesh(MjcfMesh& asset, const MjcfAttributes& attributes) {
  const std::vector<double> numbers = attributes.list("vertex");
  const std::vector<double> faces = attributes.list("face");
  if (numbers.size() < 12 || numbers.size() % 3 != 0) {
    asset.problem = fmt::format("'vertex' has {} numbers", numbers.size());
    asset.remedy = "give three for each of at least four vertices";
    return;
  }
  for (std::size_t i = 0; i + 2 < numbers.size(); i += 3) {
    asset.mesh.vertices.emplace_back(numbers[i], numbers[i + 1], numbers[i + 2]);
  }
  if (faces.empty()) {
    become_hull(asset);
    return;
  }
  const double count = static_cast<double>(asset.mesh.vertices.size());
  const auto is_index = [count](double f) { return f >= 0.0 && f < count && f == std::floor(f); };
  if (faces.size() % 3 != 0 || !std::all_of(faces.begin(), faces.end(), is_index)) {
    asset.problem = "'face' is not a list of three vertex numbers for each triangle";
    asset.remedy = fmt::format("give whole numbers from 0 to {}", count - 1.0);
    return;
  }
  for (std::size_t i = 0; i + 2 < faces.size(); i += 3) {
    asset.mesh.triangles.push_back({static_cast<int>(faces[i]), static_cast<int>(faces[i + 1]),
                                    static_cast<int>(faces[i + 2])});
  }
  read_inline_places(asset, attributes.list("texcoord"));
}

/// One place for each vertex. MuJoCo counts from the upper edge of the texture.
void MjcfAssets::read_inline_places(MjcfMesh& asset, const std::vector<double>& places) {
  if (places.size() != 2 * asset.mesh.vertices.size()) return;
  for (std::size_t i = 0; i + 1 < places.size(); i += 2) {
    asset.paint.texture_places.push_back(
        {static_cast<float>(places[i]), static_cast<float>(1.0 - places[i + 1])});
  }
  for (const auto& triangle : asset.mesh.triangles) {
    asset.paint.texture_triangles.push_back({static_cast<std::uint32_t>(triangle[0]),
                                             static_cast<std::uint32_t>(triangle[1]),
                                             static_cast<std::uint32_t>(triangle[2])});
  }
}

void MjcfAssets::move_vertices(MjcfMesh& asset, const MjcfAttributes& attributes) {
  // MuJoCo's order: shift, turn, then scale.
  const auto shift = attributes.exactly<3>("refpos").value_or(std::array<double, 3>{});
  const auto quat = attributes.exactly<4>("refquat");
  const auto scale = attributes.exactly<3>("scale").value_or(std::array<double, 3>{1, 1, 1});
  const Eigen::Quaterniond turn = quat ? from_quat_wxyz(*quat, "refquat", attributes).conjugate()
                                       : Eigen::Quaterniond::Identity();
  const Eigen::Matrix3d map = to_vector(scale).asDiagonal() * turn.toRotationMatrix();
  for (Eigen::Vector3d& vertex : asset.mesh.vertices) {
    vertex = map * (vertex - to_vector(shift));
  }
  // A mirrored mesh has its triangles inside out.
  if (scale[0] * scale[1] * scale[2] < 0.0) {
    for (auto& triangle : asset.mesh.triangles) std::swap(triangle[1], triangle[2]);
    for (auto& triangle : asset.paint.texture_triangles) std::swap(triangle[1], triangle[2]);
  }
  if (scale[0] * scale[1] * scale[2] == 0.0) {
    asset.problem = "the scale of the mesh is zero";
    asset.remedy = "give three factors, such as 0.001 0.001 0.001";
  }
}

void MjcfAssets::find_solid(MjcfMesh& asset, const MjcfAttributes& attributes) {
  enum class Method { exact, convex, legacy, shell };
  const Method method = attributes.keyword<Method>(
      "inertia",
      {{"exact", Method::exact},
       {"convex", Method::convex},
       {"legacy", Method::legacy},
       {"shell", Method::shell}},
      compilers_.of(asset.element).exact_meshes ? Method::exact : Method::legacy);
  BodyInertia solid;
  if (method == Method::convex && add_convex_hull(asset.mesh)) {
    Mesh hull;
    hull.vertices = asset.mesh.hull_vertices;
    hull.triangles = asset.mesh.hull_triangles;
    if (solid_inertia(hull, 1.0, solid)) asset.solid = solid;
    return;
  }
  if (method == Method::shell) {
    if (shell_inertia(asset.mesh, solid)) asset.solid = solid;
    return;
  }
  if (method == Method::legacy) {
    if (legacy_inertia(asset.mesh, 1.0, solid)) asset.solid = solid;
    return;
  }
  asset.open_edges = count_open_edges(asset.mesh);
  if (solid_inertia(asset.mesh, 1.0, solid)) asset.solid = solid;
}

MjcfHeightField& MjcfAssets::height_field(int position) {
  MjcfHeightField& asset = fields_[static_cast<std::size_t>(position)];
  if (!asset.read) {
    const MjcfAttributes attributes(document_, report_, asset.element);
    read_height_field(asset, attributes, path_of(attributes));
    asset.field.name = prefix_ + asset.prefix + asset_name(asset.element);
  }
  asset.read = true;
  return asset;
}

void MjcfAssets::reduce(MjcfMesh& asset) {
  if (const auto reduction = reduce_hull(asset.mesh, asset.most_hull_vertices)) {
    report_.note(document_.source(asset.element), reduction->to_string());
  }
}

void MjcfAssets::add_used(ModelBuilder& builder) {
  for (MjcfMesh& asset : meshes_) {
    if (!asset.used) {
      if (!asset.fitted && asset.problem.empty()) {
        report_.unused(document_.source(asset.element),
                       "no geom uses this mesh, so it is not read");
      }
      continue;
    }
    const bool has_hull = !asset.mesh.hull_vertices.empty();
    if (asset.collides && !has_hull && !add_convex_hull(asset.mesh)) {
      report_.error(document_.source(asset.element),
                    "the mesh is flat, so it has no hull to collide with",
                    "thicken it, or give its geoms contype=\"0\" conaffinity=\"0\"");
    }
    if (asset.collides) reduce(asset);
    asset.index = builder.add_mesh(std::move(asset.mesh));
    if (asset.textured && !asset.paint.texture_triangles.empty()) {
      // MuJoCo does not look at colors of mesh files.
      asset.paint.colors.clear();
      asset.paint.triangle_colors.clear();
      looks_.mesh_paints[asset.index] = std::move(asset.paint);
    }
  }
  for (MjcfHeightField& asset : fields_) {
    if (!asset.used) {
      report_.unused(document_.source(asset.element),
                     "no geom uses this height field, so it is not read");
      continue;
    }
    asset.index = builder.add_height_field(std::move(asset.field));
  }
}

}  // namespace stiction
