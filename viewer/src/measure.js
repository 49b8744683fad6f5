// Measures between two clicks: a rod between the points, and its length in words. The points stay on
// the bodies that were clicked.
import { CylinderGeometry, Matrix4, Mesh, MeshBasicMaterial, SphereGeometry, Vector3 } from "three";
import { body_pose } from "./bodies.js";
import { by_id, set_pressed, set_text } from "./dom.js";
import { length_words } from "./format.js";

const z_axis = new Vector3(0, 0, 1);

export class Measure {
  /// `size`: of the scene [m].
  constructor(stage, size) {
    this.stage = stage;
    this.size = size;
    const material = new MeshBasicMaterial({ color: "#ffb703", depthTest: false, transparent: true });
    const make = (geometry) => {
      const mesh = new Mesh(geometry, material);
      mesh.frustumCulled = false;
      mesh.renderOrder = 21;
      mesh.visible = false;
      mesh.raycast = () => {};
      stage.scene.add(mesh);
      return mesh;
    };
    this.rod = make(new CylinderGeometry(1, 1, 1, 8).translate(0, 0.5, 0).rotateX(Math.PI / 2));
    this.balls = [0, 1].map(() => make(new SphereGeometry(1, 16, 12)));
    this.active = false;
    this.points = [];
    this.pose = new Matrix4();
  }

  toggle() {
    this.active = !this.active;
    this.points = [];
    set_pressed(by_id("measure"), this.active);
  }

  clear() {
    if (this.active) {
      this.toggle();
    }
  }

  /// A click on a body at a point of the world; a third click begins anew.
  add({ body, point }, moment) {
    const local = point.clone().applyMatrix4(body_pose(moment, body, this.pose).invert());
    this.points = this.points.length > 1 ? [] : this.points;
    this.points.push({ body, local });
  }

  /// Where the points are now.
  places(moment) {
    return this.points.map(({ body, local }) => local.clone().applyMatrix4(body_pose(moment, body, this.pose)));
  }

  update(moment) {
    const places = this.places(moment);
    this.balls.forEach((ball, i) => {
      ball.visible = i < places.length;
      if (ball.visible) {
        ball.position.copy(places[i]);
        ball.scale.setScalar(0.012 * this.size);
      }
    });
    this.rod.visible = places.length === 2;
    if (this.rod.visible) {
      const along = places[1].clone().sub(places[0]);
      const length = Math.max(along.length(), 1e-9);
      this.rod.position.copy(places[0]);
      this.rod.quaternion.setFromUnitVectors(z_axis, along.divideScalar(length));
      this.rod.scale.set(0.003 * this.size, 0.003 * this.size, length);
    }
    this.write(places);
  }

  write(places) {
    const label = by_id("measured");
    label.hidden = !this.active;
    if (!this.active) {
      return;
    }
    const asks = ["Measuring: click the first point", "Now click the second point"];
    if (places.length < 2) {
      set_text(label, `${asks[places.length]} (Esc ends)`);
      return;
    }
    const d = places[1].clone().sub(places[0]);
    const parts = ["x", "y", "z"].map((axis) => `\u0394${axis} ${length_words(d[axis])}`);
    set_text(label, `${length_words(d.length())}   ${parts.join("   ")}`);
  }
}
