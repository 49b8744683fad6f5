// Rods between joints where a robot has no shapes to draw: a leg that touches only with its foot is
// still seen as a leg. Nothing collides with them.
import {
  Color,
  CylinderGeometry,
  Group,
  InstancedMesh,
  Matrix4,
  MeshStandardMaterial,
  Quaternion,
  SphereGeometry,
  Vector3,
} from "three";
import { body_pose } from "./bodies.js";
import { shape_radius } from "./shapes.js";

const z_axis = new Vector3(0, 0, 1);
const scratch = {
  pose: new Matrix4(),
  matrix: new Matrix4(),
  quaternion: new Quaternion(),
  scale: new Vector3(),
  from: new Vector3(),
  to: new Vector3(),
};

/// Whether a shape of the body surrounds a point of it.
function covers(scene, shapes, point) {
  return shapes.some((shape) => {
    const away = Math.hypot(...shape.position.map((x, j) => x - point[j]));
    return away <= 1.05 * shape_radius(shape, scene);
  });
}

/// Rods as { body, child } from a body's origin to a child's, or { body, point } to a point in it.
export function find_bones(scene) {
  const bones = [];
  const origin = [0, 0, 0];
  scene.bodies.forEach((body, i) => {
    const shapes = scene.shapes.filter((s) => s.body === i && (s.visible || s.collides));
    const bare = !covers(scene, shapes, origin);
    scene.bodies.forEach((child, c) => {
      if (child.parent === i && (bare || !covers(scene, shapes, child.joint?.position ?? origin))) {
        bones.push({ body: i, child: c });
      }
    });
    if (bare && body.joint?.kind !== "free") {
      shapes.forEach((s) => bones.push({ body: i, point: new Vector3().fromArray(s.position) }));
    }
  });
  return bones;
}

/// Bones of one run.
export class BonesView {
  constructor(scene, size, { color = "#6b7c93", opacity = 1 } = {}) {
    this.bones = find_bones(scene);
    this.group = new Group();
    this.thickest = 0.02 * size;
    this.material = new MeshStandardMaterial({
      roughness: 0.55,
      metalness: 0.25,
      color: new Color(color),
    });
    const rod = new CylinderGeometry(1, 0.8, 1, 14).translate(0, 0.5, 0).rotateX(Math.PI / 2);
    const count = this.bones.length;
    this.rods = new InstancedMesh(rod, this.material, count);
    this.knobs = new InstancedMesh(new SphereGeometry(1, 16, 12), this.material, count);
    for (const mesh of [this.rods, this.knobs]) {
      mesh.frustumCulled = false;
      mesh.castShadow = mesh.receiveShadow = true;
      this.group.add(mesh);
    }
    this.set_opacity(opacity);
  }

  set_opacity(opacity) {
    this.material.opacity = opacity;
    this.material.transparent = opacity < 1;
    this.material.depthWrite = opacity === 1;
    this.rods.castShadow = this.knobs.castShadow = opacity === 1;
    this.material.needsUpdate = true;
  }

  update(moment) {
    for (let i = 0; i < this.bones.length; ++i) {
      this.place(moment, this.bones[i], i);
    }
    this.rods.instanceMatrix.needsUpdate = true;
    this.knobs.instanceMatrix.needsUpdate = true;
  }

  place(moment, bone, i) {
    const { from, to, quaternion, scale, matrix } = scratch;
    from.fromArray(moment.positions, 3 * bone.body);
    if (bone.point) {
      to.copy(bone.point).applyMatrix4(body_pose(moment, bone.body, scratch.pose));
    } else {
      to.fromArray(moment.positions, 3 * bone.child);
    }
    const length = to.sub(from).length();
    const radius = Math.min(this.thickest, 0.08 * length);
    quaternion.setFromUnitVectors(z_axis, length > 0 ? to.divideScalar(length) : z_axis);
    this.rods.setMatrixAt(i, matrix.compose(from, quaternion, scale.set(radius, radius, length)));
    this.knobs.setMatrixAt(i, matrix.compose(from, quaternion, scale.setScalar(1.5 * radius)));
  }
}
