// Trails: where origins of bodies were before the time shown.
import { Group, Vector2 } from "three";
import { Line2 } from "three/examples/jsm/lines/Line2.js";
import { LineGeometry } from "three/examples/jsm/lines/LineGeometry.js";
import { LineMaterial } from "three/examples/jsm/lines/LineMaterial.js";

const colors = ["#ef7d2d", "#4c8dff", "#2ec4a6", "#c77dff", "#d9a400", "#ef476f"];
const width = 2.2; // [px]

/// The line of one body: all its points at once, of which the first ones are drawn.
class Trail {
  constructor(group, body, color) {
    this.group = group;
    this.body = body;
    this.material = new LineMaterial({ color, linewidth: width, worldUnits: false, transparent: true, opacity: 0.9 });
    this.line = null;
    this.count = 0;
  }

  /// `points`: x, y, z each.
  set_points(points) {
    this.remove();
    this.count = points.length / 3;
    if (this.count < 2) {
      return;
    }
    this.line = new Line2(new LineGeometry().setPositions(points), this.material);
    this.line.frustumCulled = false;
    this.line.raycast = () => {};
    this.group.add(this.line);
  }

  remove() {
    if (this.line) {
      this.group.remove(this.line);
      this.line.geometry.dispose();
      this.line = null;
    }
  }

  /// Draws the segments between the first points.
  show(points, size) {
    if (this.line) {
      this.line.visible = points > 1;
      this.line.geometry.instanceCount = Math.max(Math.min(points, this.count) - 1, 0);
      this.material.resolution.copy(size);
    }
  }
}

export class TrailsView {
  constructor(stage) {
    this.stage = stage;
    this.group = new Group();
    this.group.visible = false;
    stage.scene.add(this.group);
    this.trails = [];
    this.size = new Vector2();
  }

  get visible() {
    return this.group.visible;
  }

  set visible(visible) {
    this.group.visible = visible;
    this.wanted = null; // made anew
  }

  /// `source`: { points(body): x, y, z of all its frames; count(moment): how many lie before a moment;
  /// version: changes with the points }.
  set_source(source) {
    this.source = source;
    this.wanted = null;
  }

  /// Which bodies have trails.
  follow(bodies) {
    if (String(bodies) !== String(this.bodies)) {
      this.bodies = bodies;
      this.wanted = null;
    }
  }

  update(moment) {
    if (!this.visible || !this.source || !this.bodies) {
      return;
    }
    if (this.wanted !== this.source.version) {
      this.wanted = this.source.version;
      this.trails.forEach((trail) => trail.remove());
      this.trails = this.bodies.map((body, i) => new Trail(this.group, body, colors[i % colors.length]));
      this.trails.forEach((trail) => trail.set_points(this.source.points(trail.body)));
    }
    this.stage.renderer.getSize(this.size);
    const count = this.source.count(moment);
    this.trails.forEach((trail) => trail.show(count, this.size));
  }

  /// How many points are drawn of each trail, for tests.
  get drawn() {
    return this.trails.map(({ line }) => (line?.visible && this.visible ? line.geometry.instanceCount + 1 : 0));
  }
}
