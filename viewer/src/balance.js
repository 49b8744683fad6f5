// Centre of mass of a robot, and the polygon that its contacts span on the ground: over its inside a
// robot can stand still.
import {
  BufferAttribute,
  BufferGeometry,
  Color,
  DoubleSide,
  Group,
  Matrix4,
  Mesh,
  MeshBasicMaterial,
  CylinderGeometry,
  Quaternion,
  SphereGeometry,
  Vector3,
} from "three";
import { body_pose } from "./bodies.js";
import { trees } from "./colors.js";
import { Marks } from "./marks.js";

const inside_color = new Color("#0fb684");
const outside_color = new Color("#f2407c");
const center_color = new Color("#ffb703");
const z_axis = new Vector3(0, 0, 1);
const steepest = 0.5; // of a normal against up: walls do not carry

/// Convex hull of points [x, y], counter-clockwise (Andrew's monotone chain).
export function convex_hull(points) {
  const sorted = [...points].sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  const turn = (o, a, b) => (a[0] - o[0]) * (b[1] - o[1]) - (a[1] - o[1]) * (b[0] - o[0]);
  const chain = (list) => {
    const out = [];
    for (const p of list) {
      while (out.length > 1 && turn(out.at(-2), out.at(-1), p) <= 0) {
        out.pop();
      }
      out.push(p);
    }
    out.pop();
    return out;
  };
  return sorted.length < 3 ? sorted : [...chain(sorted), ...chain(sorted.reverse())];
}

/// Distance of a point from the border of a convex polygon: > 0 inside.
export function depth_inside(hull, [x, y]) {
  if (hull.length < 3) {
    return -Infinity;
  }
  let least = Infinity;
  hull.forEach(([ax, ay], i) => {
    const [bx, by] = hull[(i + 1) % hull.length];
    const length = Math.hypot(bx - ax, by - ay) || 1;
    least = Math.min(least, ((bx - ax) * (y - ay) - (by - ay) * (x - ax)) / length);
  });
  return least;
}

export class BalanceView {
  constructor(stage, scene, size) {
    this.stage = stage;
    this.scene = scene;
    this.size = size;
    this.group = new Group();
    this.group.visible = false;
    stage.scene.add(this.group);
    this.tree = trees(scene.bodies);
    this.root = this.heaviest_root();
    this.known = scene.bodies.every((body) => body.center);
    this.balls = new Marks(this.group, new SphereGeometry(1, 20, 14), 1, 0.6);
    const rod = new CylinderGeometry(1, 1, 1, 8).translate(0, 0.5, 0).rotateX(Math.PI / 2);
    this.rods = new Marks(this.group, rod, 1, 0.5);
    this.area = new Mesh(new BufferGeometry(), new MeshBasicMaterial({
      transparent: true, opacity: 0.28, side: DoubleSide, depthWrite: false, toneMapped: false,
      polygonOffset: true, polygonOffsetFactor: -2, polygonOffsetUnits: -8,
    }));
    this.area.frustumCulled = false;
    this.area.raycast = () => {};
    this.group.add(this.area);
    this.center = new Vector3();
    this.margin = null; // [m] inside the polygon; null where there is none
  }

  get visible() {
    return this.group.visible;
  }

  set visible(visible) {
    this.group.visible = visible;
  }

  /// Of robots the heaviest, of free bodies the heaviest.
  heaviest_root() {
    const { roots, sizes } = this.tree;
    const masses = new Map();
    const robots = sizes.some((n) => n > 1);
    this.scene.bodies.forEach((body, i) => {
      if (!robots || sizes[roots[i]] > 1) {
        masses.set(roots[i], (masses.get(roots[i]) ?? 0) + body.mass);
      }
    });
    return [...masses].reduce((best, entry) => (entry[1] > best[1] ? entry : best), [-1, -1])[0];
  }

  /// The robot whose balance is shown: that of a body, or the heaviest one.
  follow(body) {
    this.root = body >= 0 ? this.tree.roots[body] : this.heaviest_root();
  }

  update(moment) {
    if (!this.visible || this.root < 0 || !this.known) {
      return;
    }
    this.find_center(moment);
    const { hull, height } = this.find_support(moment);
    const { up, ahead, side } = this.stage;
    const on_ground = [this.center.dot(ahead), this.center.dot(side)];
    this.margin = hull.length < 3 ? null : depth_inside(hull, on_ground);
    const color = this.margin === null || this.margin < 0 ? outside_color : inside_color;
    const place = ([x, y]) => new Vector3().addScaledVector(ahead, x).addScaledVector(side, y)
      .addScaledVector(up, height + 0.002 * this.size);
    this.draw_area(hull.map(place), color);
    this.draw_center(hull.length > 0 ? place(on_ground) : null, color);
  }

  find_center(moment) {
    const pose = new Matrix4();
    const point = new Vector3();
    let mass = 0;
    this.center.set(0, 0, 0);
    this.scene.bodies.forEach((body, i) => {
      if (this.tree.roots[i] === this.root) {
        point.fromArray(body.center).applyMatrix4(body_pose(moment, i, pose));
        this.center.addScaledVector(point, body.mass);
        mass += body.mass;
      }
    });
    this.center.divideScalar(mass || 1);
  }

  /// Hull along ahead and side of the contacts that carry the robot, and the height of the lowest.
  find_support(moment) {
    const { up, ahead, side } = this.stage;
    const { shapes, modes, points, normals } = moment.contacts;
    const mine = (shape) => {
      const body = this.scene.shapes[shape]?.body ?? -1;
      return body >= 0 && this.tree.roots[body] === this.root;
    };
    const p = new Vector3();
    const list = [];
    let height = Infinity;
    for (let k = moment.first; k < moment.first + moment.count; ++k) {
      const level = Math.abs(p.fromArray(normals, 3 * k).dot(up)) > steepest;
      if (modes[k] > 0 && level && mine(shapes[2 * k]) !== mine(shapes[2 * k + 1])) {
        p.fromArray(points, 3 * k);
        list.push([p.dot(ahead), p.dot(side)]);
        height = Math.min(height, p.dot(up));
      }
    }
    return { hull: convex_hull(list), height };
  }

  draw_area(corners, color) {
    this.rods.begin(corners.length + 1);
    corners.forEach((corner, i) => this.add_rod(corner, corners[(i + 1) % corners.length], color));
    this.area.visible = corners.length > 2;
    if (this.area.visible) {
      const triangles = corners.slice(2).flatMap((corner, i) => [corners[0], corners[i + 1], corner]);
      const positions = new Float32Array(triangles.flatMap((corner) => corner.toArray()));
      this.area.geometry.setAttribute("position", new BufferAttribute(positions, 3));
      this.area.material.color.copy(color);
    }
  }

  add_rod(from, to, color) {
    const along = to.clone().sub(from);
    const length = along.length();
    if (length > 1e-9) {
      const turn = new Quaternion().setFromUnitVectors(z_axis, along.divideScalar(length));
      const width = 0.003 * this.size;
      this.rods.add(new Matrix4().compose(from, turn, new Vector3(width, width, length)), color);
    }
  }

  draw_center(on_ground, color) {
    const ball = (at, radius, tint) =>
      this.balls.add(new Matrix4().makeScale(radius, radius, radius).setPosition(at), tint);
    this.balls.begin(2);
    ball(this.center, 0.022 * this.size, center_color);
    if (on_ground) {
      ball(on_ground, 0.011 * this.size, color);
      this.add_rod(this.center, on_ground, center_color);
    }
    this.balls.end();
    this.rods.end();
  }

  /// For the legend; empty if nothing is drawn.
  words(length) {
    if (!this.visible) {
      return "";
    }
    if (!this.known) {
      return "centres of mass are not in this recording";
    }
    if (this.margin === null) {
      return "centre of mass, no support polygon";
    }
    return `centre of mass ${length(Math.abs(this.margin))} ${this.margin < 0 ? "outside" : "inside"} the support`;
  }
}
