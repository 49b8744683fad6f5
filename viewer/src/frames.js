// Frames of bodies: an arrow along each axis, red x, green y, blue z, also where something hides them.
import { Color, CylinderGeometry, Group, Matrix4, Quaternion, Vector3 } from "three";
import { body_pose } from "./bodies.js";
import { Marks } from "./marks.js";

const axes = [
  [new Vector3(1, 0, 0), new Color("#e5484d")],
  [new Vector3(0, 1, 0), new Color("#30a46c")],
  [new Vector3(0, 0, 1), new Color("#3e7bfa")],
];
const z_axis = new Vector3(0, 0, 1);
const few = 30; // bodies that get frames of full size

export class FramesView {
  /// `size`: of the scene [m].
  constructor(stage, scene, size) {
    this.bodies = scene.bodies.length;
    this.group = new Group();
    this.group.visible = false;
    stage.scene.add(this.group);
    const tip = new CylinderGeometry(0.4, 1, 1, 10).translate(0, 0.5, 0).rotateX(Math.PI / 2);
    this.marks = new Marks(this.group, tip, 1, 0.45);
    const length = 0.11 * size * (few / Math.max(few, this.bodies)) ** 0.3;
    this.scale = new Vector3(0.05 * length, 0.05 * length, length);
    this.turns = axes.map(([axis]) => new Matrix4().compose(
      new Vector3(), new Quaternion().setFromUnitVectors(z_axis, axis), this.scale));
  }

  get visible() {
    return this.group.visible;
  }

  set visible(visible) {
    this.group.visible = visible;
  }

  update(moment) {
    if (!this.visible) {
      return;
    }
    const pose = new Matrix4();
    const matrix = new Matrix4();
    this.marks.begin(3 * this.bodies);
    for (let body = 0; body < this.bodies; ++body) {
      body_pose(moment, body, pose);
      axes.forEach(([, color], i) => this.marks.add(matrix.multiplyMatrices(pose, this.turns[i]), color));
    }
    this.marks.end();
  }
}
