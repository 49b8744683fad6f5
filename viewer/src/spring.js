// The spring that pulls a body in the live view: a rod from the body to the mouse.
import { CylinderGeometry, Matrix4, Mesh, MeshBasicMaterial, Vector3 } from "three";
import { body_pose } from "./bodies.js";

const z_axis = new Vector3(0, 0, 1);

export class SpringRod {
  /// `size`: of the scene [m].
  constructor(scene, size) {
    const rod = new CylinderGeometry(1, 1, 1, 8).translate(0, 0.5, 0).rotateX(Math.PI / 2);
    this.rod = new Mesh(rod, new MeshBasicMaterial({ color: "#ffb703", depthTest: false }));
    this.rod.frustumCulled = false;
    this.rod.renderOrder = 20;
    this.rod.visible = false;
    this.width = 0.004 * size;
    this.pose = new Matrix4();
    this.along = new Vector3();
    scene.add(this.rod);
  }

  /// `dragging`: { body, local, target } or null.
  update(dragging, moment) {
    this.rod.visible = Boolean(dragging);
    if (!dragging) {
      return;
    }
    const { position, quaternion, scale } = this.rod;
    position.copy(dragging.local).applyMatrix4(body_pose(moment, dragging.body, this.pose));
    const length = Math.max(this.along.copy(dragging.target).sub(position).length(), 1e-9);
    quaternion.setFromUnitVectors(z_axis, this.along.divideScalar(length));
    scale.set(this.width, this.width, length);
  }
}
