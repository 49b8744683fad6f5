// Anchors of contacts that are springs: a ring where the spring is attached, and a thin line from there
// to the contact. Stretches are tenths of millimetres: they are drawn longer by a factor that the
// legend tells. Only their part along the surface is drawn; across it the stretch is the overlap.
import { Color, CylinderGeometry, Matrix4, Quaternion, TorusGeometry, Vector3 } from "three";
import { anchor_color } from "./colors.js";
import { Marks } from "./marks.js";

const color_of_anchors = new Color(anchor_color);
const z_axis = new Vector3(0, 0, 1);
const shares = { ring: 0.024, thickness: 0.17, line: 0.0026, typical_stretch: 0.09 }; // of the size drawn
const most_magnified = 10000;
const scratch = {
  anchor: new Vector3(),
  stretch: new Vector3(),
  normal: new Vector3(),
  point: new Vector3(),
  scale: new Vector3(),
  quaternion: new Quaternion(),
  matrix: new Matrix4(),
};

export class AnchorMarks {
  constructor(group) {
    this.rings = new Marks(group, new TorusGeometry(1, shares.thickness, 8, 28), 1, 0.4);
    const line = new CylinderGeometry(1, 1, 1, 8).translate(0, 0.5, 0).rotateX(Math.PI / 2);
    this.lines = new Marks(group, line, 1, 0.4);
    this.all = [this.rings, this.lines];
    this.magnified = 1;
    this.there = false; // whether any contact had a spring so far
  }

  /// `stretch`: one that shall have a fair length [m]; `size`: of the scene [m].
  expect(stretch, size) {
    this.magnified = factor_for(stretch, shares.typical_stretch * size);
  }

  /// The anchor of contact k of a moment's columns, if it has one. `sign`: +1 if it is the one on
  /// body a, -1 if it is the one on body b. `size`: that marks are drawn at [m]; `color`: null for the
  /// usual one.
  add({ anchors, stretches, normals, points }, k, sign, size, color) {
    if (!anchors || Number.isNaN(anchors[3 * k])) {
      return;
    }
    this.there = true;
    const { anchor, stretch, normal, point, quaternion, scale } = scratch;
    normal.fromArray(normals, 3 * k);
    along_surface(stretch.fromArray(stretches, 3 * k), normal);
    anchor.fromArray(anchors, 3 * k);
    const other_end = sign > 0 ? 1 : 0; // of the spring, in stretches from body a's end
    anchor.addScaledVector(stretch, other_end - sign * this.magnified);
    const marked = color ?? color_of_anchors;
    quaternion.setFromUnitVectors(z_axis, normal);
    this.put(this.rings, anchor, scale.setScalar(shares.ring * size), marked);
    const way = point.fromArray(points, 3 * k).sub(anchor);
    const length = way.length();
    if (length > 1e-6 * size) {
      quaternion.setFromUnitVectors(z_axis, way.divideScalar(length));
      this.put(this.lines, anchor, scale.set(shares.line * size, shares.line * size, length), marked);
    }
  }

  put(marks, position, scale, color) {
    marks.add(scratch.matrix.compose(position, scratch.quaternion, scale), color);
  }
}

function along_surface(vector, normal) {
  return vector.addScaledVector(normal, -vector.dot(normal));
}

/// The largest of 1, 2, 5, 10, ... that a stretch is drawn with no longer than wanted.
function factor_for(stretch, wanted) {
  const most = stretch > 0 ? Math.min(wanted / stretch, most_magnified) : most_magnified;
  if (most <= 1) {
    return 1;
  }
  const power = 10 ** Math.floor(Math.log10(most));
  return power * [5, 2, 1].find((digit) => digit * power <= most * (1 + 1e-9));
}

/// A stretch along the surface that shall have a fair length [m]: one that most of a run's contacts
/// stay below, or more, so that the largest one is not drawn across the whole picture.
export function typical_stretch({ stretches, normals }) {
  const step = Math.max(1, Math.floor(stretches.length / 3 / 20000));
  const sizes = [];
  for (let k = 0; k + 2 < stretches.length; k += 3 * step) {
    scratch.stretch.fromArray(stretches, k);
    const size = along_surface(scratch.stretch, scratch.normal.fromArray(normals, k)).length();
    if (size > 0) {
      sizes.push(size);
    }
  }
  sizes.sort((a, b) => a - b);
  return sizes.length > 0 ? Math.max(sizes[Math.floor(0.95 * (sizes.length - 1))], sizes.at(-1) / 4) : 0;
}

/// Length of contact k's stretch, whole and along the surface [m]; null if it has no spring.
export function stretch_of({ stretches, normals }, k) {
  if (!stretches || Number.isNaN(stretches[3 * k])) {
    return null;
  }
  const whole = scratch.stretch.fromArray(stretches, 3 * k).length();
  const along = along_surface(scratch.stretch, scratch.normal.fromArray(normals, 3 * k)).length();
  return { whole, along };
}
