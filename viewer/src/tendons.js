// Spatial tendons: threads through sites and around what they wrap. The page finds their way from the
// poses of the bodies, so runs and live frames need no numbers for it.
import {
  Color,
  CylinderGeometry,
  Group,
  InstancedMesh,
  Matrix4,
  MeshStandardMaterial,
  Quaternion,
  Vector3,
} from "three";
import { body_pose } from "./bodies.js";
import { wrap_around } from "./wrapping.js";

const color = new Color("#c2543f");
const z_axis = new Vector3(0, 0, 1);

/// The lines of a tendon in a moment: lists of points, world [m]. A pulley ends a line and begins the
/// next one.
export function tendon_lines(tendon, moment) {
  const pose = new Matrix4();
  const world = (body, point) => new Vector3().fromArray(point).applyMatrix4(body_pose(moment, body, pose));
  const lines = [[]];
  const { path } = tendon;
  const last_site = (i) => path[i]?.kind === "site";
  path.forEach((part, i) => {
    if (part.kind === "pulley") {
      lines.push([]);
      return;
    }
    const line = lines.at(-1);
    if (part.kind === "site") {
      line.push(world(part.body, part.position));
    } else if (last_site(i - 1) && last_site(i + 1)) {
      const end = world(path[i + 1].body, path[i + 1].position);
      line.push(...around(part, line.at(-1), end, world, moment));
    }
  });
  return lines.filter((line) => line.length > 1);
}

function around(part, start, end, world, moment) {
  const frame = new Matrix4().compose(
    new Vector3().fromArray(part.position), new Quaternion().fromArray(part.quaternion), new Vector3(1, 1, 1));
  frame.premultiply(body_pose(moment, part.body, new Matrix4()));
  const back = frame.clone().invert();
  const side = part.side ? world(part.side_body, part.side).applyMatrix4(back) : null;
  const obstacle = { cylinder: part.kind === "cylinder", radius: part.radius };
  const points = wrap_around(obstacle, start.clone().applyMatrix4(back), end.clone().applyMatrix4(back), side);
  return points.map((p) => p.applyMatrix4(frame));
}

export const line_length = (line) =>
  line.slice(1).reduce((sum, p, i) => sum + p.distanceTo(line[i]), 0);

export class TendonsView {
  /// `size`: of the scene [m].
  constructor(stage, scene, size) {
    this.tendons = scene.tendons ?? [];
    this.group = new Group();
    stage.scene.add(this.group);
    this.geometry = new CylinderGeometry(1, 1, 1, 8, 1, true).translate(0, 0.5, 0).rotateX(Math.PI / 2);
    this.material = new MeshStandardMaterial({ color, roughness: 0.8 });
    this.thickness = 0.0045 * size;
    this.capacity = 0;
    this.count = 0;
    this.lines = [];
  }

  get there() {
    return this.tendons.length > 0;
  }

  get visible() {
    return this.group.visible;
  }

  set visible(visible) {
    this.group.visible = visible;
  }

  update(moment) {
    if (!this.visible || !this.there) {
      return;
    }
    this.lines = this.tendons.map((tendon) => tendon_lines(tendon, moment));
    this.reserve(this.lines.flat().reduce((sum, line) => sum + line.length - 1, 0));
    const [matrix, turn, scale, way] = [new Matrix4(), new Quaternion(), new Vector3(), new Vector3()];
    this.count = 0;
    for (const line of this.lines.flat()) {
      line.slice(1).forEach((end, i) => {
        way.subVectors(end, line[i]);
        const length = way.length();
        turn.setFromUnitVectors(z_axis, length > 0 ? way.normalize() : z_axis);
        scale.set(this.thickness, this.thickness, length);
        this.mesh.setMatrixAt(this.count++, matrix.compose(line[i], turn, scale));
      });
    }
    this.mesh.count = this.count;
    this.mesh.instanceMatrix.needsUpdate = true;
  }

  reserve(count) {
    if (count <= this.capacity) {
      return;
    }
    this.capacity = 2 * count;
    if (this.mesh) {
      this.group.remove(this.mesh);
      this.mesh.dispose();
    }
    this.mesh = new InstancedMesh(this.geometry, this.material, this.capacity);
    this.mesh.frustumCulled = false;
    this.mesh.castShadow = true;
    this.group.add(this.mesh);
  }
}
