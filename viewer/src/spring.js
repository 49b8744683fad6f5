// The spring that pulls a body in the live view: a line from the body to the mouse.
import { BufferAttribute, BufferGeometry, Line, LineBasicMaterial, Matrix4, Vector3 } from "three";
import { body_pose } from "./bodies.js";

export class SpringLine {
  constructor(scene) {
    const geometry = new BufferGeometry();
    geometry.setAttribute("position", new BufferAttribute(new Float32Array(6), 3));
    this.line = new Line(geometry, new LineBasicMaterial({ color: "#ffb703", depthTest: false }));
    this.line.frustumCulled = false;
    this.line.renderOrder = 20;
    this.line.visible = false;
    this.pose = new Matrix4();
    this.point = new Vector3();
    scene.add(this.line);
  }

  /// `dragging`: { body, local, target } or null.
  update(dragging, moment) {
    this.line.visible = Boolean(dragging);
    if (!dragging) {
      return;
    }
    const position = this.line.geometry.attributes.position;
    this.point.copy(dragging.local).applyMatrix4(body_pose(moment, dragging.body, this.pose));
    this.point.toArray(position.array, 0);
    dragging.target.toArray(position.array, 3);
    position.needsUpdate = true;
  }
}
