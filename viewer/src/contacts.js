// Contacts: a ball at each point, an arrow along its impulse, the anchor of its spring if it has one,
// on demand its friction cone.
import {
  Color,
  ConeGeometry,
  CylinderGeometry,
  Group,
  Matrix4,
  Quaternion,
  SphereGeometry,
  Vector3,
} from "three";
import { AnchorMarks } from "./anchors.js";
import { mode_colors } from "./colors.js";
import { Marks } from "./marks.js";

const colors = mode_colors.map((c) => new Color(c));
const z_axis = new Vector3(0, 0, 1);
const scratch = {
  point: new Vector3(),
  direction: new Vector3(),
  scale: new Vector3(),
  quaternion: new Quaternion(),
  matrix: new Matrix4(),
};

const few = 30; // contacts that can be drawn at full size

export class ContactsView {
  /// `size`: of the scene [m]; `weight_impulse`: an impulse whose arrow has a fair length [N s].
  constructor(scene, size, weight_impulse) {
    this.scene = scene;
    this.scene_size = size;
    this.most = 0;
    this.expect(0);
    this.group = new Group();
    this.points = new Marks(this.group, new SphereGeometry(1, 12, 8), 1, 0.35);
    const shaft = new CylinderGeometry(1, 1, 1, 8, 1, true).translate(0, 0.5, 0).rotateX(Math.PI / 2);
    const head = new ConeGeometry(1, 1, 12).translate(0, 0.5, 0).rotateX(Math.PI / 2);
    this.shafts = new Marks(this.group, shaft, 1, 0.3);
    this.heads = new Marks(this.group, head, 1, 0.3);
    // The tip of a friction cone is the contact.
    const cone = new ConeGeometry(1, 1, 40, 1, true).translate(0, -0.5, 0).rotateX(-Math.PI / 2);
    this.cones = new Marks(this.group, cone, 0.3, 0.1);
    this.anchors = new AnchorMarks(this.group);
    this.all = [this.points, this.shafts, this.heads, this.cones, ...this.anchors.all];
    this.visible = true;
    this.cones_visible = false;
    this.anchors_visible = true;
    this.arrow_scale = 1;
    this.weight_impulse = weight_impulse;
    this.selected = -1;
  }

  /// Many contacts are drawn smaller, so that one sees what they hold. `count`: at a time.
  expect(count) {
    this.most = Math.max(this.most, count);
    this.size = this.scene_size * (few / Math.max(few, this.most)) ** 0.3;
  }

  /// +1 if the impulse is shown as it acts on b, -1 as on a: the world is not pushed.
  sign_of(moment, k) {
    const b = this.scene.shapes[moment.contacts.shapes[2 * k + 1]];
    const a = this.scene.shapes[moment.contacts.shapes[2 * k]];
    return b && b.body < 0 && a && a.body >= 0 ? -1 : 1;
  }

  update(moment) {
    this.shown = this.visible ? moment.count : 0;
    this.expect(this.shown);
    for (const marks of this.all) {
      marks.begin(this.shown);
    }
    for (let i = 0; i < this.shown; ++i) {
      this.add_contact(moment, moment.first + i, i === this.selected);
    }
    for (const marks of this.all) {
      marks.end();
    }
  }

  add_contact(moment, k, selected) {
    const { modes, points, impulses, normals, frictions } = moment.contacts;
    const mode = Math.min(modes[k], 2);
    const color = selected ? highlight : colors[mode];
    const sign = this.sign_of(moment, k);
    scratch.point.fromArray(points, 3 * k);
    scratch.quaternion.identity();
    const radius = this.size * (selected ? 0.014 : mode === 0 ? 0.006 : 0.009);
    this.put(this.points, scratch.scale.setScalar(radius), color);
    if (this.anchors_visible) {
      this.anchors.add(moment.contacts, k, sign, this.size, selected ? highlight : null);
    }
    if (this.cones_visible) {
      this.add_cone(normals, frictions[k], k, sign, color);
    }
    scratch.direction.fromArray(impulses, 3 * k).multiplyScalar(sign);
    const size = scratch.direction.length();
    if (size > 1e-9 * this.weight_impulse) {
      this.add_arrow(size, color);
    }
  }

  add_arrow(size, color) {
    // A robot presses a hundred times harder than a pebble, and an impact again: the root shows both.
    const wanted = 0.36 * this.arrow_scale * this.size * Math.sqrt(size / this.weight_impulse);
    const knee = 0.5 * this.size * this.arrow_scale;
    const length = wanted < knee ? wanted : knee * (1 + Math.log(wanted / knee));
    const width = this.size * 0.0042;
    const head = Math.min(0.038 * this.size, 0.5 * length);
    scratch.quaternion.setFromUnitVectors(z_axis, scratch.direction.divideScalar(size));
    this.put(this.shafts, scratch.scale.set(width, width, length - head), color);
    scratch.point.addScaledVector(scratch.direction, length - head);
    this.put(this.heads, scratch.scale.set(0.4 * head, 0.4 * head, head), color);
  }

  add_cone(normals, friction, k, sign, color) {
    scratch.direction.fromArray(normals, 3 * k).multiplyScalar(sign);
    scratch.quaternion.setFromUnitVectors(z_axis, scratch.direction);
    const height = (0.16 * this.size) / Math.hypot(1, friction);
    const radius = Math.max(height * friction, 1e-4 * this.size);
    this.put(this.cones, scratch.scale.set(radius, radius, height), color);
  }

  put(marks, scale, color) {
    marks.add(scratch.matrix.compose(scratch.point, scratch.quaternion, scale), color);
  }
}

const highlight = new Color("#ffd23f");

/// An impulse that most of a run's contacts stay below [N s].
export function typical_impulse(impulses) {
  const step = Math.max(1, Math.floor(impulses.length / 3 / 20000));
  const sizes = [];
  for (let k = 0; k + 2 < impulses.length; k += 3 * step) {
    const size = Math.hypot(impulses[k], impulses[k + 1], impulses[k + 2]);
    if (size > 0) {
      sizes.push(size);
    }
  }
  sizes.sort((a, b) => a - b);
  return sizes.length > 0 ? sizes[Math.floor(0.98 * (sizes.length - 1))] : 1;
}
