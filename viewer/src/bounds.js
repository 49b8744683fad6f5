// How large the scene is, and where: what the camera looks at first.
import { Box3, Matrix4, Vector3 } from "three";
import { body_pose } from "./bodies.js";
import { shape_radius } from "./shapes.js";

/// Balls { center, radius } around the shapes of a moment, and the joints that carry them. Only bodies
/// that move count, or only the world.
function balls_of(scene, moment, world) {
  const pose = new Matrix4();
  const balls = [];
  for (const shape of scene.shapes) {
    const radius = shape_radius(shape, scene);
    if (radius === 0 || shape.body < 0 !== world) {
      continue;
    }
    body_pose(moment, shape.body, pose);
    balls.push({ center: new Vector3().fromArray(shape.position).applyMatrix4(pose), radius });
    if (shape.body >= 0 && scene.bodies[shape.body].joint?.kind !== "free") {
      balls.push({ center: new Vector3().setFromMatrixPosition(pose), radius: 0 });
    }
  }
  return world ? balls : [...balls, ...balls_of_tendons(scene, moment)];
}

/// Wheels of the world that tendons go around belong to what moves.
function balls_of_tendons(scene, moment) {
  const pose = new Matrix4();
  return (scene.tendons ?? []).flatMap(({ path }) => path.filter(({ kind }) => kind !== "pulley").map((part) => ({
    center: new Vector3().fromArray(part.position).applyMatrix4(body_pose(moment, part.body, pose)),
    radius: part.radius ?? 0,
  })));
}

function box_of(balls) {
  const box = new Box3();
  for (const { center, radius } of balls) {
    box.expandByPoint(center.clone().addScalar(radius));
    box.expandByPoint(center.clone().addScalar(-radius));
  }
  return box;
}

const half_diagonal = (box) => box.getSize(new Vector3()).length() / 2;

/// { center, radius, balls } of what is to be seen at the start, given moments of the run: the first
/// counts whole, later ones only as far as they do not make it look small.
export function scene_bounds(scene, moments) {
  let balls = balls_of(scene, moments[0], false);
  if (balls.length === 0) {
    balls = balls_of(scene, moments[0], true);
  }
  if (balls.length === 0) {
    balls = [{ center: new Vector3(), radius: 1 }];
  }
  // Of a lone body one wants to see its path; of many, the bodies.
  const most = (scene.bodies.length <= 3 ? 4 : 1.3) * half_diagonal(box_of(balls));
  for (const moment of moments.slice(1)) {
    const more = [...balls, ...balls_of(scene, moment, false)];
    if (half_diagonal(box_of(more)) < most) {
      balls = more;
    }
  }
  const box = box_of(balls);
  const radius = Math.max(half_diagonal(box), 1e-3);
  return { center: box.getCenter(new Vector3()), radius, balls };
}

/// The same of all moments, as a whole.
export function run_bounds(scene, moments) {
  const balls = moments.flatMap((moment) => balls_of(scene, moment, false));
  if (balls.length === 0) {
    return scene_bounds(scene, moments);
  }
  const box = box_of(balls);
  return { center: box.getCenter(new Vector3()), radius: Math.max(half_diagonal(box), 1e-3), balls };
}

/// Lowest point along `up`, for a floor under scenes that have none.
export function lowest(scene, moments, up) {
  const box = box_of(moments.flatMap((moment) => balls_of(scene, moment, false)));
  if (box.isEmpty()) {
    return 0;
  }
  const corner = (i) => (up.getComponent(i) > 0 ? box.min : box.max).getComponent(i);
  return [0, 1, 2].reduce((sum, i) => sum + up.getComponent(i) * corner(i), 0);
}
