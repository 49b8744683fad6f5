// The shapes of one run: instances, one batch for each geometry and opacity.
import {
  Color,
  Group,
  InstancedMesh,
  Matrix4,
  Quaternion,
  Vector3,
} from "three";
import { is_uncolored } from "./colors.js";
import { Textures, finish_of, lay_texture, look_key, make_materials, plane_places } from "./looks.js";
import { geometry_key, instance_scale, make_geometry } from "./shapes.js";

const scratch = {
  position: new Vector3(),
  quaternion: new Quaternion(),
  scale: new Vector3(1, 1, 1),
  pose: new Matrix4(),
  matrix: new Matrix4(),
  color: new Color(),
};

export function shape_matrix(shape, out) {
  scratch.position.fromArray(shape.position);
  scratch.quaternion.fromArray(shape.quaternion);
  return out.compose(scratch.position, scratch.quaternion, instance_scale(shape, scratch.scale));
}

/// World pose of a body in a moment, without scale.
export function body_pose(moment, body, out) {
  if (body < 0) {
    return out.identity();
  }
  scratch.position.fromArray(moment.positions, 3 * body);
  scratch.quaternion.fromArray(moment.quaternions, 4 * body);
  return out.compose(scratch.position, scratch.quaternion, scratch.scale.set(1, 1, 1));
}

/// Which shapes are drawn. Visual shapes are preferred; a body that has none shows those it touches
/// with.
export function shown_shapes(scene, collision) {
  const has_visual = new Set(scene.shapes.filter((s) => s.visible).map((s) => s.body));
  const shown = [];
  scene.shapes.forEach((shape, i) => {
    const wanted = collision
      ? shape.collides
      : shape.visible || (!has_visual.has(shape.body) && shape.collides);
    if (wanted) {
      shown.push(i);
    }
  });
  return shown;
}

class Batch {
  constructor(geometry, material, indices, scene, opaque) {
    this.indices = indices;
    this.bodies = indices.map((i) => scene.shapes[i].body);
    this.moves = this.bodies.some((body) => body >= 0);
    this.local = indices.map((i) => shape_matrix(scene.shapes[i], new Matrix4()));
    this.mesh = new InstancedMesh(geometry, material, indices.length);
    this.mesh.frustumCulled = false;
    this.mesh.castShadow = opaque;
    this.mesh.receiveShadow = opaque;
    this.mesh.userData.batch = this;
    this.placed = false;
  }

  update(moment) {
    if (this.placed && !this.moves) {
      return;
    }
    for (let i = 0; i < this.indices.length; ++i) {
      body_pose(moment, this.bodies[i], scratch.pose);
      scratch.matrix.multiplyMatrices(scratch.pose, this.local[i]);
      this.mesh.setMatrixAt(i, scratch.matrix);
    }
    this.mesh.instanceMatrix.needsUpdate = true;
    // A bounding sphere of another moment would hide instances from the mouse.
    this.mesh.boundingSphere = null;
    this.placed = true;
  }

  set_color(i, color) {
    this.mesh.setColorAt(i, color);
    this.mesh.instanceColor.needsUpdate = true;
  }
}

/// How a run is drawn: `tint` mixes a colour in, `opacity` makes it a ghost, `world` draws the
/// shapes that do not move, too.
const natural = { tint: null, tint_amount: 0, opacity: 1, world: true };

export class BodiesView {
  constructor(scene, colors, ground, style = natural) {
    this.scene = scene;
    this.colors = colors;
    this.ground = ground;
    this.style = { ...natural, ...style };
    this.group = new Group();
    this.geometries = new Map();
    this.textures = new Textures(scene);
    this.collision = false;
    this.selected = -2;
    this.build();
  }

  set_style(style) {
    Object.assign(this.style, style);
    this.build();
  }

  set_collision(collision) {
    if (this.collision !== collision) {
      this.collision = collision;
      this.build();
    }
  }

  build() {
    this.group.clear();
    this.batches?.forEach((batch) => batch.mesh.dispose());
    this.planes = [];
    this.batches = [];
    const sorted = new Map();
    for (const i of shown_shapes(this.scene, this.collision)) {
      const shape = this.scene.shapes[i];
      if (shape.body < 0 && !this.style.world) {
        continue;
      }
      if (shape.kind === "plane") {
        this.add_plane(shape, i);
        continue;
      }
      const opacity = this.opacity_of(shape);
      const look = this.collision ? "" : look_key(this.scene, shape);
      const key = `${geometry_key(shape, this.collision)} / ${look} / ${opacity} / ${shape.body < 0}`;
      sorted.set(key, [...(sorted.get(key) ?? []), i]);
    }
    sorted.forEach((indices) => this.add_batch(indices));
    this.paint();
  }

  opacity_of(shape) {
    const own = Math.max(shape.color[3], 0.05);
    return shape.body < 0 ? own : own * this.style.opacity;
  }

  add_plane(shape, index) {
    const map = this.collision ? null : this.textures.of(shape);
    const color = is_uncolored(shape.color) && !map ? null : this.colors[index];
    const mesh = this.ground.make_plane(shape.size[0], shape.size[1], color, map);
    if (map) {
      plane_places(mesh.geometry, shape, finish_of(this.scene, shape));
    }
    mesh.userData.plane = index;
    mesh.userData.local = shape_matrix(shape, new Matrix4());
    this.planes.push({ mesh, shape });
    this.group.add(mesh);
  }

  add_batch(indices) {
    const shape = this.scene.shapes[indices[0]];
    const opacity = this.opacity_of(shape);
    const map = this.collision ? null : this.textures.of(shape);
    const material = make_materials(this.scene, this.collision ? {} : shape, map, this.colors[indices[0]], {
      transparent: opacity < 1,
      opacity,
      depthWrite: opacity > 0.5,
      // A ghost that lies where the run in front is does not flicker through it.
      polygonOffset: this.style.opacity < 1,
      polygonOffsetFactor: 1,
      polygonOffsetUnits: 8,
    });
    const batch = new Batch(this.geometry_of(shape, map), material, indices, this.scene, opacity > 0.5);
    this.batches.push(batch);
    this.group.add(batch.mesh);
  }

  geometry_of(shape, map) {
    const key = `${geometry_key(shape, this.collision)}${map ? look_key(this.scene, shape) : ""}`;
    if (!this.geometries.has(key)) {
      const geometry = make_geometry(shape, this.scene, this.collision);
      if (map) {
        const flat = geometry.index ? geometry.toNonIndexed() : geometry;
        lay_texture(flat, shape, finish_of(this.scene, shape), instance_scale(shape, new Vector3()));
        this.geometries.set(key, flat);
      } else {
        geometry.clearGroups();
        this.geometries.set(key, geometry);
      }
    }
    return this.geometries.get(key);
  }

  /// Colours of all instances: own, tint of the run, and selection.
  paint() {
    const { tint, tint_amount } = this.style;
    for (const batch of this.batches) {
      batch.indices.forEach((shape, i) => {
        scratch.color.copy(this.colors[shape]);
        if (tint && batch.bodies[i] >= 0) {
          scratch.color.lerp(tint, tint_amount);
        }
        if (batch.bodies[i] === this.selected) {
          scratch.color.lerp(highlight, 0.55);
        }
        batch.set_color(i, scratch.color);
      });
    }
  }

  /// Marks a body; -2 is none.
  select(body) {
    if (this.selected !== body) {
      this.selected = body;
      this.paint();
    }
  }

  update(moment) {
    for (const batch of this.batches) {
      batch.update(moment);
    }
    for (const { mesh, shape } of this.planes) {
      mesh.matrix.multiplyMatrices(body_pose(moment, shape.body, scratch.pose), mesh.userData.local);
      mesh.matrixWorldNeedsUpdate = true;
    }
  }

  /// The shape under a ray: { shape, body, point }, or null.
  pick(raycaster) {
    const hits = raycaster.intersectObject(this.group, true);
    for (const hit of hits) {
      const { batch, plane } = hit.object.userData;
      const shape = batch ? batch.indices[hit.instanceId] : plane;
      if (shape !== undefined) {
        return { shape, body: this.scene.shapes[shape].body, point: hit.point, distance: hit.distance };
      }
    }
    return null;
  }
}

const highlight = new Color("#ffd23f");
