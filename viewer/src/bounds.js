// How large the scene is, and where: what the camera looks at first.
import { Box3, Matrix4, Vector3 } from "three";
import { body_pose } from "./bodies.js";
import { shape_radius } from "./shapes.js";

/// Adds the balls around the shapes of a moment, and the joints that carry them. Only bodies that move count, unless none does.
function grow(box, scene, moment, world) {
  const pose = new Matrix4();
  const point = new Vector3();
  for (const shape of scene.shapes) {
    const radius = shape_radius(shape, scene);
    if (radius === 0 || shape.body < 0 !== world) {
      continue;
    }
    body_pose(moment, shape.body, pose);
    point.fromArray(shape.position).applyMatrix4(pose);
    for (const sign of [-1, 1]) {
      box.expandByPoint(point.clone().addScalar(sign * radius));
    }
    if (shape.body >= 0 && scene.bodies[shape.body].joint?.kind !== "free") {
      box.expandByPoint(point.setFromMatrixPosition(pose));
    }
  }
}

/// Centre and radius of what is to be seen at the start, given moments of the run: the first counts
/// whole, later ones only as far as they do not make it look small.
export function scene_bounds(scene, moments) {
  const box = new Box3();
  grow(box, scene, moments[0], false);
  if (box.isEmpty()) {
    grow(box, scene, moments[0], true);
  }
  if (box.isEmpty()) {
    return { center: new Vector3(), radius: 1 };
  }
  const first = box.getSize(new Vector3()).length() / 2;
  // Of a lone body one wants to see its path; of many, the bodies.
  const most = (scene.bodies.length <= 3 ? 4 : 1.6) * first;
  for (const moment of moments.slice(1)) {
    const larger = box.clone();
    grow(larger, scene, moment, false);
    if (larger.getSize(new Vector3()).length() / 2 < most) {
      box.copy(larger);
    }
  }
  const radius = box.getSize(new Vector3()).length() / 2;
  return { center: box.getCenter(new Vector3()), radius: Math.max(radius, 1e-3) };
}

/// Lowest point along `up`, for a floor under scenes that have none.
export function lowest(scene, moments, up) {
  const box = new Box3();
  moments.forEach((moment) => grow(box, scene, moment, false));
  if (box.isEmpty()) {
    return 0;
  }
  const corner = (i) => (up.getComponent(i) > 0 ? box.min : box.max).getComponent(i);
  return [0, 1, 2].reduce((sum, i) => sum + up.getComponent(i) * corner(i), 0);
}
