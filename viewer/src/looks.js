// Textures and finishes of shapes: where a texture lies on a geometry, and the material with it.
import {
  BufferAttribute, ClampToEdgeWrapping, MeshStandardMaterial, RepeatWrapping, SRGBColorSpace, Texture, Vector3,
} from "three";

const plain = { roughness: 0.62, metalness: 0.06, emission: 0 };
export const no_texture = 0xffffffff; // where a triangle shows none

/// The finish of a shape; undefined if it has none.
export const finish_of = (scene, shape) => scene.finishes?.[shape.finish];

/// The image of the texture that a shape shows; undefined if there is none.
export function image_of(scene, shape) {
  const finish = finish_of(scene, shape);
  return scene.textures?.[finish?.texture]?.image;
}

/// Whether the triangles of a shape have colours of their own.
export const has_own_colors = (scene, shape) =>
  shape.kind === "mesh" && scene.meshes[shape.mesh].triangle_colors?.length > 0;

/// Textures of a scene for the graphics card, each once.
export class Textures {
  constructor(scene) {
    this.scene = scene;
    this.made = new Map();
  }

  of(shape) {
    const image = image_of(this.scene, shape);
    if (!image) {
      return null;
    }
    // At the edge of a texture that fits once, nothing of its other edge must shine through.
    const { per_metre, repeat } = finish_of(this.scene, shape);
    const once = shape.kind !== "mesh" && !per_metre && repeat[0] === 1 && repeat[1] === 1;
    const key = `${finish_of(this.scene, shape).texture} ${once}`;
    if (!this.made.has(key)) {
      const texture = new Texture(image);
      texture.colorSpace = SRGBColorSpace;
      texture.wrapS = texture.wrapT = once ? ClampToEdgeWrapping : RepeatWrapping;
      texture.anisotropy = 8;
      texture.needsUpdate = true;
      this.made.set(key, texture);
    }
    return this.made.get(key);
  }
}

/// Materials of a shape: with its texture, and without for triangles that show none.
export function make_materials(scene, shape, map, color, options) {
  const { roughness, metalness, emission } = { ...plain, ...finish_of(scene, shape) };
  const make = (own) => {
    const material = new MeshStandardMaterial({ roughness, metalness, vertexColors: true, ...own, ...options });
    if (emission > 0) {
      material.emissive.copy(color);
      material.emissiveIntensity = emission;
    }
    return material;
  };
  return map ? [make({ map }), make({})] : make({});
}

/// Name of what the geometry of a textured shape depends on, besides its kind; empty without texture.
export function look_key(scene, shape) {
  const finish = finish_of(scene, shape);
  if (!finish) {
    return "";
  }
  const size = image_of(scene, shape) ? shape.size.join(" ") : "";
  const color = finish.emission > 0 ? shape.color.join(" ") : "";
  return `finish ${shape.finish} ${size} ${color}`;
}

/// Gives a geometry without index its places in the texture of a shape, unless its mesh has some.
/// `scale`: what instances multiply it with.
export function lay_texture(geometry, shape, finish, scale) {
  const count = geometry.attributes.position.count;
  if (!geometry.attributes.uv || shape.kind !== "mesh") {
    geometry.setAttribute("uv", new BufferAttribute(projected(geometry, finish, scale), 2));
    geometry.clearGroups();
    geometry.addGroup(0, count, 0);
  } else if (!finish.per_metre) {
    const { array } = geometry.attributes.uv;
    for (let i = 0; i < array.length; ++i) {
      array[i] *= finish.repeat[i % 2];
    }
  }
  return geometry;
}

function projected(geometry, finish, scale) {
  const { array, count } = geometry.attributes.position;
  const points = Array.from({ length: count }, (_, i) => new Vector3().fromArray(array, 3 * i).multiply(scale));
  const half = new Vector3(1e-9, 1e-9, 1e-9);
  points.forEach((p) => half.max(new Vector3(Math.abs(p.x), Math.abs(p.y), Math.abs(p.z))));
  const places = new Float32Array(2 * count);
  for (let i = 0; i < count; i += 3) {
    const corners = points.slice(i, i + 3);
    const two = finish.on_all_sides ? onto_cube(corners, finish, half) : from_above(corners, finish, half);
    two.forEach((place, k) => places.set(place, 2 * (i + k)));
  }
  return places;
}

function from_above(corners, { per_metre, repeat }, half) {
  return corners.map((p) =>
    ["x", "y"].map((axis, k) => (per_metre ? p[axis] : (p[axis] / half[axis] + 1) / 2) * repeat[k]));
}

/// As seen from the middle: each side of a cube around it shows the image once.
function onto_cube(corners, { per_metre }, half) {
  const scaled = corners.map((p) => (per_metre ? p : p.clone().divide(half)));
  const middle = scaled[0].clone().add(scaled[1]).add(scaled[2]);
  const away = ["x", "y", "z"].reduce((a, b) => (Math.abs(middle[b]) > Math.abs(middle[a]) ? b : a));
  const [across, up] = { x: ["y", "z"], y: ["x", "z"], z: ["x", "y"] }[away];
  return scaled.map((p) => {
    const far = Math.max(Math.abs(p[away]), 1e-9);
    return [(p[across] / far + 1) / 2, (p[up] / far + 1) / 2];
  });
}

/// Places of a plane's corners in its texture; endless planes repeat it per metre.
export function plane_places(geometry, shape, finish) {
  const [half_x, half_y] = shape.size;
  const per_metre = finish.per_metre || half_x === 0 || half_y === 0;
  const { array, count } = geometry.attributes.position;
  const places = new Float32Array(2 * count);
  for (let i = 0; i < count; ++i) {
    const [x, y] = [array[3 * i], array[3 * i + 1]];
    places[2 * i] = (per_metre ? x : (x / half_x + 1) / 2) * finish.repeat[0];
    places[2 * i + 1] = (per_metre ? y : (y / half_y + 1) / 2) * finish.repeat[1];
  }
  geometry.setAttribute("uv", new BufferAttribute(places, 2));
}
