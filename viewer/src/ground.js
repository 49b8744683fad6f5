// Planes with a grid in metres on them. From below they are like glass, so that one can look at
// contacts from there.
import { BackSide, Color, Mesh, MeshStandardMaterial, PlaneGeometry } from "three";

const glass = { side: BackSide, transparent: true, opacity: 0.3, depthWrite: false };

const grid_functions = `
  varying vec2 v_grid;
  uniform float u_spacing;
  uniform vec3 u_line;
  float grid_line(vec2 at, float spacing) {
    vec2 cell = at / spacing;
    vec2 width = fwidth(cell);
    vec2 near = abs(fract(cell - 0.5) - 0.5) / max(width, vec2(1e-6));
    float line = 1.0 - min(min(near.x, near.y), 1.0);
    return line * (1.0 - smoothstep(0.12, 0.45, max(width.x, width.y)));
  }
`;

const grid_color = `
  #include <color_fragment>
  float minor = grid_line(v_grid, u_spacing * 0.1);
  float major = grid_line(v_grid, u_spacing);
  #ifndef USE_MAP
    vec2 tile = mod(floor(v_grid / u_spacing), 2.0);
    diffuseColor.rgb *= (tile.x == tile.y) ? 1.0 : 0.94;
    diffuseColor.rgb = mix(diffuseColor.rgb, u_line, max(0.28 * minor, 0.75 * major));
  #else
    diffuseColor.rgb = mix(diffuseColor.rgb, u_line, max(0.1 * minor, 0.35 * major));
  #endif
`;

/// Distance of the strong lines [m] for a scene of this size; the fine ones are ten times closer.
export function grid_spacing(radius) {
  return 10 ** Math.ceil(Math.log10(Math.max(radius, 1e-6) * 0.25));
}

export class Ground {
  constructor(radius) {
    this.radius = radius;
    this.uniforms = {
      u_spacing: { value: grid_spacing(radius) },
      u_line: { value: new Color() },
    };
    this.material = this.make_material();
    this.glass = this.make_material(glass);
  }

  make_material(more = {}) {
    const material = new MeshStandardMaterial({ roughness: 0.95, metalness: 0, ...more });
    material.onBeforeCompile = (shader) => {
      Object.assign(shader.uniforms, this.uniforms);
      shader.vertexShader = shader.vertexShader
        .replace("#include <common>", "#include <common>\nvarying vec2 v_grid;")
        .replace("#include <begin_vertex>", "#include <begin_vertex>\nv_grid = position.xy;");
      shader.fragmentShader = shader.fragmentShader
        .replace("#include <common>", `#include <common>\n${grid_functions}`)
        .replace("#include <color_fragment>", grid_color);
    };
    return material;
  }

  /// A plane of half extents [m] in its own x and y; 0 is endless. `color`: null goes with the theme;
  /// `map`: a texture, or null.
  make_plane(half_x, half_y, color = null, map = null) {
    const endless = 400 * this.radius;
    const geometry = new PlaneGeometry(2 * (half_x || endless), 2 * (half_y || endless));
    const material = color ? this.make_material({ map }) : this.material;
    if (color) {
      material.color.copy(color);
    }
    const mesh = new Mesh(geometry, material);
    mesh.receiveShadow = true;
    mesh.matrixAutoUpdate = false;
    const below = new Mesh(geometry, this.glass);
    below.raycast = () => {};
    mesh.add(below);
    return mesh;
  }

  apply_theme(colors) {
    this.material.color.set(colors.ground);
    this.glass.color.set(colors.ground);
    this.uniforms.u_line.value.set(colors.line);
  }
}
