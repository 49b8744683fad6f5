// Marks on contacts. Parts that stand behind something are drawn faintly, for contacts are hidden by
// what touches.
import {
  Color,
  DoubleSide,
  GreaterDepth,
  InstancedMesh,
  LessEqualDepth,
  MeshBasicMaterial,
} from "three";

const any_color = new Color();

/// Instances drawn twice with the same matrices: plainly, and faintly where something hides them.
export class Marks {
  constructor(group, geometry, opacity, hidden_opacity) {
    this.group = group;
    this.geometry = geometry;
    this.layers = [
      { opacity, depthFunc: LessEqualDepth },
      { opacity: hidden_opacity, depthFunc: GreaterDepth },
    ].map((options, i) => {
      const material = new MeshBasicMaterial({
        ...options,
        transparent: true,
        depthWrite: false,
        side: DoubleSide,
        toneMapped: false,
        fog: false,
      });
      return { material, order: 10 - i };
    });
    this.capacity = 0;
    this.count = 0;
  }

  reserve(count) {
    if (count <= this.capacity) {
      return;
    }
    this.capacity = Math.max(16, 2 * count);
    this.meshes?.forEach((mesh) => {
      this.group.remove(mesh);
      mesh.dispose();
    });
    this.meshes = this.layers.map(({ material, order }) => {
      const mesh = new InstancedMesh(this.geometry, material, this.capacity);
      mesh.frustumCulled = false;
      mesh.renderOrder = order;
      this.group.add(mesh);
      return mesh;
    });
    this.meshes[0].setColorAt(0, any_color);
    this.meshes[1].instanceMatrix = this.meshes[0].instanceMatrix;
    this.meshes[1].instanceColor = this.meshes[0].instanceColor;
  }

  add(matrix, color) {
    this.meshes[0].setMatrixAt(this.count, matrix);
    this.meshes[0].setColorAt(this.count, color);
    ++this.count;
  }

  begin(most) {
    this.reserve(most);
    this.count = 0;
  }

  end() {
    this.meshes?.forEach((mesh) => (mesh.count = this.count));
    if (this.meshes) {
      this.meshes[0].instanceMatrix.needsUpdate = true;
      this.meshes[0].instanceColor.needsUpdate = true;
    }
  }
}
