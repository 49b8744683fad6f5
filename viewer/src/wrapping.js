// The way of a tendon around a sphere or a cylinder, as stiction/spatial/wrapping.hpp defines it.
import { Vector3 } from "three";

const tiny = 1e-12;
const points_per_turn = 48;

const dot = (a, b) => a[0] * b[0] + a[1] * b[1];
const cross = (a, b) => a[0] * b[1] - a[1] * b[0];
const minus = (a, b) => [a[0] - b[0], a[1] - b[1]];
const at_angle = (radius, angle) => [radius * Math.cos(angle), radius * Math.sin(angle)];

/// Of the straight line between both points, the one next to the origin.
function nearest_to_center(a, b) {
  const way = minus(b, a);
  const t = Math.min(Math.max(-dot(way, a) / dot(way, way), 0), 1);
  return [a[0] + t * way[0], a[1] + t * way[1]];
}

function segments_cross(a, a_end, b, b_end) {
  const [u, w, apart] = [minus(a_end, a), minus(b_end, b), minus(b, a)];
  const det = cross(u, w);
  if (Math.abs(det) < tiny) {
    return false;
  }
  const [s, t] = [cross(apart, w) / det, cross(apart, u) / det];
  return s >= 0 && s <= 1 && t >= 0 && t <= 1;
}

/// Angles on the circle between which a thread touches it: from `first` on by `turn`. null: it does
/// not. `side`: a point on the side where it passes, or null for the shorter way.
function wrap_outside(a, b, radius, side) {
  const [far_a, far_b] = [Math.hypot(...a), Math.hypot(...b)];
  if (far_a < radius || far_b < radius || Math.hypot(...minus(b, a)) < tiny) {
    return null;
  }
  const nearest = nearest_to_center(a, b);
  if (Math.hypot(...nearest) > radius && (!side || dot(side, nearest) >= 0)) {
    return null;
  }
  let best = null;
  for (const sense of [1, -1]) {
    // A tangent touches where the direction to the point is turned by this much.
    const first = Math.atan2(a[1], a[0]) + sense * Math.acos(Math.min(radius / far_a, 1));
    const second = Math.atan2(b[1], b[0]) - sense * Math.acos(Math.min(radius / far_b, 1));
    const [from, to] = [at_angle(radius, first), at_angle(radius, second)];
    if (segments_cross(a, from, b, to)) {
      continue;
    }
    let turn = sense * Math.atan2(cross(from, to), dot(from, to));
    turn = turn < -1e-7 ? turn + 2 * Math.PI : Math.max(turn, 0);
    const middle = [from[0] + to[0], from[1] + to[1]];
    const size = Math.hypot(...middle);
    const merit = side ? (size > tiny ? dot(middle, side) / size : side[0]) : -Math.hypot(...minus(from, to));
    if (!best || merit > best.merit) {
      best = { first, turn: sense * turn, merit };
    }
  }
  return best;
}

/// Through the circle as through a ring: the thread bends at one point of it, where it is shortest.
function wrap_inside(a, b, radius) {
  if (Math.hypot(...a) <= radius || Math.hypot(...b) <= radius) {
    return null;
  }
  if (Math.hypot(...nearest_to_center(a, b)) <= radius) {
    return null;
  }
  const start = Math.atan2(a[1], a[0]);
  let [low, high] = [0, Math.atan2(cross(a, b), dot(a, b))];
  const length = (angle) => {
    const p = at_angle(radius, start + angle);
    return Math.hypot(...minus(p, a)) + Math.hypot(...minus(b, p));
  };
  for (let i = 0; i < 60; ++i) {
    const third = (high - low) / 3;
    if (length(low + third) < length(high - third)) {
      high -= third;
    } else {
      low += third;
    }
  }
  return { first: start + (low + high) / 2, turn: 0 };
}

/// Axes of the plane in which the thread goes.
function plane_of({ cylinder }, start, end) {
  if (cylinder) {
    return { x: new Vector3(1, 0, 0), y: new Vector3(0, 1, 0) };
  }
  const x = start.clone().normalize();
  const normal = new Vector3().crossVectors(start, end);
  if (normal.length() < tiny) {
    // All on one line: any plane through it.
    const other = Math.abs(x.z) < 0.9 ? new Vector3(0, 0, 1) : new Vector3(1, 0, 0);
    normal.crossVectors(x, other);
  }
  return { x, y: normal.cross(x).normalize() };
}

/// Points from where the thread meets the obstacle to where it leaves it, in the obstacle's frame; none
/// if the way is straight. Obstacle: { cylinder, radius }; `side`: Vector3 or null.
export function wrap_around(obstacle, start, end, side) {
  const { radius, cylinder } = obstacle;
  if (!(radius > tiny) || start.length() < tiny || end.length() < tiny) {
    return [];
  }
  const { x, y } = plane_of(obstacle, start, end);
  const flat = (p) => [p.dot(x), p.dot(y)];
  const [a, b] = [flat(start), flat(end)];
  const beside = side && flat(side);
  const inside = beside && Math.hypot(...beside) < radius;
  const touch = inside ? wrap_inside(a, b, radius) : wrap_outside(a, b, radius, beside);
  if (!touch) {
    return [];
  }
  const count = touch.turn === 0 ? 1 : 1 + Math.max(Math.ceil((Math.abs(touch.turn) / (2 * Math.PI)) * points_per_turn), 1);
  const flat_points = Array.from({ length: count }, (_, i) =>
    at_angle(radius, touch.first + (count > 1 ? (touch.turn * i) / (count - 1) : 0)));
  const points = flat_points.map(([u, v]) => x.clone().multiplyScalar(u).addScaledVector(y, v));
  if (cylinder) {
    // Unrolled, the way is straight: its height is shared out along it.
    const before = Math.hypot(...minus(flat_points[0], a));
    const arc = Math.abs(touch.turn) * radius;
    const after = Math.hypot(...minus(b, flat_points.at(-1)));
    const slope = (end.z - start.z) / (before + arc + after);
    points.forEach((p, i) => (p.z = start.z + slope * (before + (count > 1 ? (arc * i) / (count - 1) : 0))));
  }
  return points;
}
