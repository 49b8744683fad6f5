// Geometries of shapes. Equal shapes share one, so that they can be drawn as instances; what a
// geometry lacks in size stands in the scale of its instances.
import {
  BoxGeometry,
  BufferAttribute,
  BufferGeometry,
  CapsuleGeometry,
  Color,
  CylinderGeometry,
  SphereGeometry,
  SRGBColorSpace,
} from "three";
import { no_texture } from "./looks.js";

/// Name of the geometry of a shape, the same for all that can share it. `hull`: meshes as they
/// collide.
export function geometry_key(shape, hull) {
  switch (shape.kind) {
    case "sphere":
    case "ellipsoid":
      return "sphere";
    case "capsule":
      return `capsule ${shape.size[0]} ${shape.size[1]}`;
    case "mesh":
      return `${hull ? "hull" : "mesh"} ${shape.mesh}`;
    case "height_field":
      return `height_field ${shape.height_field}`;
    default:
      return shape.kind;
  }
}

/// Scale of an instance, written to out.
export function instance_scale(shape, out) {
  const [x, y, z] = shape.size;
  switch (shape.kind) {
    case "sphere":
      return out.set(x, x, x);
    case "cylinder":
      return out.set(x, x, y);
    case "box":
    case "ellipsoid":
      return out.set(x, y, z);
    default:
      return out.set(1, 1, 1);
  }
}

/// Radius of a ball around the shape's origin that holds it; 0 for planes.
export function shape_radius(shape, scene) {
  const [x, y, z] = shape.size;
  switch (shape.kind) {
    case "sphere":
      return x;
    case "capsule":
      return x + y;
    case "cylinder":
      return Math.hypot(x, y);
    case "box":
      return Math.hypot(x, y, z);
    case "ellipsoid":
      return Math.max(x, y, z);
    case "mesh":
      return mesh_radius(scene.meshes[shape.mesh]);
    case "height_field":
      return Math.hypot(...scene.height_fields[shape.height_field].half_size);
    default:
      return 0;
  }
}

function mesh_radius(mesh) {
  let most = 0;
  for (let i = 0; i + 2 < mesh.vertices.length; i += 3) {
    most = Math.max(most, Math.hypot(...mesh.vertices.subarray(i, i + 3)));
  }
  return most;
}

/// Shades parts of a round shape by the place of their triangles, so that one sees it turn.
function two_tones(geometry, is_dark) {
  const flat = geometry.index ? geometry.toNonIndexed() : geometry;
  const p = flat.attributes.position.array;
  const colors = new Float32Array(p.length);
  for (let i = 0; i < p.length; i += 9) {
    const x = p[i] + p[i + 3] + p[i + 6];
    const y = p[i + 1] + p[i + 4] + p[i + 7];
    const z = p[i + 2] + p[i + 5] + p[i + 8];
    colors.fill(is_dark(x, y, z) ? 0.72 : 1, i, i + 9);
  }
  flat.setAttribute("color", new BufferAttribute(colors, 3));
  return flat;
}

function plain_tone(geometry) {
  const count = geometry.attributes.position.count;
  const colors = new Float32Array(3 * count).fill(1);
  geometry.setAttribute("color", new BufferAttribute(colors, 3));
  return geometry;
}

function triangles(vertices, indices) {
  const geometry = new BufferGeometry();
  geometry.setAttribute("position", new BufferAttribute(vertices, 3));
  geometry.setIndex(new BufferAttribute(indices, 1));
  // Without shared vertices each face has its own normal: edges of machine parts stay sharp.
  const flat = geometry.toNonIndexed();
  flat.computeVertexNormals();
  return plain_tone(flat);
}

function mesh_geometry(mesh, hull) {
  if (hull && mesh.hull_triangles.length > 0) {
    return triangles(mesh.hull_vertices, mesh.hull_triangles);
  }
  const painted = mesh.triangle_colors?.length > 0 || mesh.texture_triangles?.length > 0;
  if (!painted) {
    return triangles(mesh.vertices, mesh.triangles);
  }
  const order = textured_first(mesh);
  const corners = mesh.triangles.map((_, i) => mesh.triangles[3 * order[Math.floor(i / 3)] + (i % 3)]);
  const geometry = triangles(mesh.vertices, corners);
  if (mesh.triangle_colors?.length > 0) {
    color_triangles(geometry, mesh, order);
  }
  if (mesh.texture_triangles?.length > 0) {
    place_triangles(geometry, mesh, order);
  }
  return geometry;
}

/// Numbers of the triangles, those with a texture before the others.
function textured_first({ triangles, texture_triangles }) {
  const all = Array.from({ length: triangles.length / 3 }, (_, i) => i);
  if (!texture_triangles?.length) {
    return all;
  }
  const textured = (i) => texture_triangles[3 * i] !== no_texture;
  return [...all.filter(textured), ...all.filter((i) => !textured(i))];
}

function color_triangles(geometry, { colors, triangle_colors }, order) {
  const linear = colors.map((rgb) => new Color().setRGB(...rgb, SRGBColorSpace));
  const { array } = geometry.attributes.color;
  order.forEach((triangle, i) => {
    const color = linear[triangle_colors[triangle]];
    for (let k = 0; k < 3 && color; ++k) {
      color.toArray(array, 9 * i + 3 * k);
    }
  });
}

function place_triangles(geometry, { texture_places, texture_triangles }, order) {
  const places = new Float32Array(6 * order.length);
  let textured = 0;
  order.forEach((triangle, i) => {
    if (texture_triangles[3 * triangle] === no_texture) {
      return;
    }
    ++textured;
    for (let k = 0; k < 3; ++k) {
      const place = 2 * texture_triangles[3 * triangle + k];
      places.set(texture_places.subarray(place, place + 2), 6 * i + 2 * k);
    }
  });
  geometry.setAttribute("uv", new BufferAttribute(places, 2));
  geometry.addGroup(0, 3 * textured, 0);
  geometry.addGroup(3 * textured, 3 * (order.length - textured), 1);
}

/// Grid points at their heights, row by row.
function height_field_points({ rows, columns, heights, half_size }) {
  const vertices = new Float32Array(3 * rows * columns);
  for (let row = 0; row < rows; ++row) {
    for (let column = 0; column < columns; ++column) {
      const i = row * columns + column;
      vertices[3 * i] = half_size[0] * ((2 * column) / (columns - 1) - 1);
      vertices[3 * i + 1] = half_size[1] * ((2 * row) / (rows - 1) - 1);
      vertices[3 * i + 2] = heights[i];
    }
  }
  return vertices;
}

/// Indices of the grid points around the border, counter-clockwise seen from above.
function border({ rows, columns }) {
  const last = rows * columns - 1;
  const range = (n, at) => Array.from({ length: n }, (_, i) => at(i));
  return [
    ...range(columns - 1, (i) => i),
    ...range(rows - 1, (i) => (i + 1) * columns - 1),
    ...range(columns - 1, (i) => last - i),
    ...range(rows - 1, (i) => last + 1 - (i + 1) * columns),
  ];
}

/// The surface, and walls from its border down to the base.
function height_field_geometry(field) {
  const top = height_field_points(field);
  const around = border(field);
  const n = around.length;
  const vertices = new Float32Array(top.length + 6 * n);
  vertices.set(top);
  const walls = new Uint32Array(6 * n);
  const first = top.length / 3;
  around.forEach((point, i) => {
    const [x, y, z] = top.subarray(3 * point, 3 * point + 3);
    vertices.set([x, y, z, x, y, -field.base], top.length + 6 * i);
    const a = first + 2 * i;
    const b = first + 2 * ((i + 1) % n);
    walls.set([a, a + 1, b, b, a + 1, b + 1], 6 * i);
  });
  const surface = grid_triangles(field.rows, field.columns);
  const indices = new Uint32Array(surface.length + walls.length);
  indices.set(surface);
  indices.set(walls, surface.length);
  const geometry = new BufferGeometry();
  geometry.setAttribute("position", new BufferAttribute(vertices, 3));
  geometry.setIndex(new BufferAttribute(indices, 1));
  geometry.computeVertexNormals();
  return plain_tone(geometry);
}

function grid_triangles(rows, columns) {
  const indices = new Uint32Array(6 * (rows - 1) * (columns - 1));
  let at = 0;
  for (let row = 0; row + 1 < rows; ++row) {
    for (let column = 0; column + 1 < columns; ++column) {
      const i = row * columns + column;
      indices.set([i, i + 1, i + columns + 1, i, i + columns + 1, i + columns], at);
      at += 6;
    }
  }
  return indices;
}

const octant = (x, y, z) => (x > 0) !== (y > 0) !== (z > 0);
const sector = (x, y) => (x > 0) !== (y > 0);

const many = 300; // shapes, of which each is small in the picture

/// The geometry for a shape, along the axes that class Shape says (cylinders along z).
export function make_geometry(shape, scene, hull) {
  const coarse = scene.shapes.length > many;
  switch (shape.kind) {
    case "box":
      return plain_tone(new BoxGeometry(2, 2, 2));
    case "sphere":
    case "ellipsoid":
      return two_tones(new SphereGeometry(1, coarse ? 16 : 32, coarse ? 12 : 24).rotateX(Math.PI / 2), octant);
    case "cylinder":
      return two_tones(new CylinderGeometry(1, 1, 2, coarse ? 24 : 48).rotateX(Math.PI / 2), sector);
    case "capsule":
      return plain_tone(
        new CapsuleGeometry(shape.size[0], 2 * shape.size[1], coarse ? 5 : 10, coarse ? 16 : 28).rotateX(Math.PI / 2),
      );
    case "mesh":
      return mesh_geometry(scene.meshes[shape.mesh], hull);
    case "height_field":
      return height_field_geometry(scene.height_fields[shape.height_field]);
    default:
      throw new Error(`shape ${shape.name} has the unknown kind ${shape.kind}`);
  }
}
