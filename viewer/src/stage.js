// Renderer, light, sky and camera.
import {
  BackSide,
  Color,
  DirectionalLight,
  Fog,
  HemisphereLight,
  Mesh,
  NeutralToneMapping,
  PCFSoftShadowMap,
  PerspectiveCamera,
  Scene,
  ShaderMaterial,
  SphereGeometry,
  Vector3,
  WebGLRenderer,
} from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import { axes_around, stay_above, way_of } from "./camera.js";

const slow_picture = 0.04; // [s]
const coarsest = 2; // times that the picture may be made coarser

function make_sky(up) {
  const material = new ShaderMaterial({
    side: BackSide,
    depthWrite: false,
    fog: false,
    uniforms: {
      u_up: { value: up },
      u_horizon: { value: new Color() },
      u_zenith: { value: new Color() },
    },
    vertexShader: `
      varying vec3 v_direction;
      void main() {
        v_direction = position;
        gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
      }`,
    fragmentShader: `
      varying vec3 v_direction;
      uniform vec3 u_up, u_horizon, u_zenith;
      void main() {
        float height = dot(normalize(v_direction), u_up);
        gl_FragColor = vec4(mix(u_horizon, u_zenith, smoothstep(0.0, 0.55, height)), 1.0);
        #include <colorspace_fragment>
      }`,
  });
  const sky = new Mesh(new SphereGeometry(1, 32, 16), material);
  sky.frustumCulled = false;
  sky.renderOrder = -10;
  return sky;
}

function make_renderer(canvas) {
  try {
    return new WebGLRenderer({ canvas, antialias: true });
  } catch {
    throw new Error("this browser has no WebGL; turn on hardware acceleration or use another browser");
  }
}

function make_sun() {
  const sun = new DirectionalLight("#fff6e8", 2.6);
  sun.castShadow = true;
  sun.shadow.mapSize.set(2048, 2048);
  sun.shadow.bias = -2e-4;
  sun.shadow.radius = 3;
  return sun;
}

export class Stage {
  constructor(canvas, up) {
    this.canvas = canvas;
    this.up = up;
    this.renderer = make_renderer(canvas);
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = PCFSoftShadowMap;
    this.renderer.toneMapping = NeutralToneMapping;
    this.scene = new Scene();
    this.scene.fog = new Fog("#ffffff", 1, 100);
    this.camera = new PerspectiveCamera(40, 1, 0.01, 1000);
    this.camera.up.copy(up);
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.enableDamping = true;
    this.controls.dampingFactor = 0.12;
    this.sky = make_sky(up);
    this.sun = make_sun();
    this.ambient = new HemisphereLight("#ffffff", "#8a8f98", 1.5);
    this.ambient.position.copy(up);
    this.scene.add(this.sky, this.sun, this.sun.target, this.ambient);
    this.moving = false;
    this.filming = false;
    this.coarseness = 0;
    this.pace = 0;
    this.followed = new Vector3();
    this.following = false;
    this.floor = null;
    this.dives = false;
    Object.assign(this, axes_around(up));
  }

  /// Looks at balls of a scene, as near as shows all of them. `preset`: a name of camera.js.
  frame(bounds, preset = "angle") {
    this.radius ??= bounds.radius;
    this.dives = preset === "below";
    this.frame_along(bounds, way_of(preset, this));
  }

  /// The same from the direction that the camera has.
  frame_as_seen(bounds) {
    this.frame_along(bounds, this.camera.position.clone().sub(this.controls.target).normalize());
  }

  frame_along({ center, radius, balls }, away) {
    this.framed = { center, radius, balls };
    this.controls.target.copy(center);
    this.camera.position.copy(center).addScaledVector(away, this.fitting_distance(away));
    this.controls.minDistance = this.radius * 0.05;
    this.controls.maxDistance = Math.max(radius, this.radius) * 60;
    this.update_controls();
  }

  /// Heights along up are not gone below, but by the preset that is for it. null: there is no floor.
  set_floor(height) {
    this.floor = height;
  }

  /// Whether the camera moved.
  update_controls() {
    if (this.floor !== null && !this.dives) {
      stay_above(this.controls, this.camera, this.up, this.floor + 0.01 * this.radius);
    } else {
      this.controls.maxPolarAngle = Math.PI;
    }
    return this.controls.update();
  }

  /// How far along `away` the camera must stand for all balls to be in the picture, with a margin.
  fitting_distance(away) {
    const { center, radius, balls } = this.framed;
    const right = new Vector3().crossVectors(this.up, away).normalize();
    const upward = new Vector3().crossVectors(away, right);
    const high = 0.86 * Math.tan((this.camera.fov * Math.PI) / 360);
    const wide = high * Math.max(this.camera.aspect, 0.1);
    let distance = 1.2 * radius;
    for (const ball of balls) {
      const p = ball.center.clone().sub(center);
      const x = Math.abs(p.dot(right)) + ball.radius;
      const y = Math.abs(p.dot(upward)) + ball.radius;
      distance = Math.max(distance, p.dot(away) + Math.max(x / wide, y / high));
    }
    return distance;
  }

  /// Moves camera and target along with a point. Call every frame while following.
  follow(point) {
    if (this.following) {
      this.camera.position.add(point).sub(this.followed);
    } else {
      this.camera.position.add(point).sub(this.controls.target);
      this.followed.copy(this.controls.target);
    }
    this.controls.target.copy(point);
    this.followed.copy(point);
    this.following = true;
  }

  stop_following() {
    this.following = false;
  }

  apply_theme(colors) {
    this.scene.fog.color.set(colors.horizon);
    this.sky.material.uniforms.u_horizon.value.set(colors.horizon);
    this.sky.material.uniforms.u_zenith.value.set(colors.zenith);
    this.ambient.intensity = colors.ambient;
    this.sun.intensity = colors.sun;
  }

  /// While things move on a machine that draws slowly, pictures are coarser; at rest never.
  set_moving(moving) {
    if (this.moving !== moving && !this.filming) {
      this.moving = moving;
      this.pace = 0;
      if (this.coarseness > 0) {
        this.resize();
      }
    }
  }

  /// A film has one size from start to end.
  set_filming(filming) {
    this.filming = false;
    this.set_moving(false);
    this.filming = filming;
  }

  /// Where the camera is and what it looks at, as words for an address; and back.
  view_words() {
    const { position } = this.camera;
    return [...position.toArray(), ...this.controls.target.toArray()].map((x) => Number(x.toPrecision(5))).join(",");
  }

  /// Whether the words were some.
  set_view_words(words) {
    const numbers = words.split(",").map(Number);
    if (numbers.length !== 6 || !numbers.every(Number.isFinite)) {
      return false;
    }
    this.camera.position.set(...numbers.slice(0, 3));
    this.controls.target.set(...numbers.slice(3));
    const ground = this.floor ?? -Infinity;
    this.dives = this.camera.position.dot(this.up) < ground;
    return true;
  }

  /// Tells how long the last picture took [s] while moving.
  note_pace(seconds) {
    this.pace += 0.15 * (seconds - this.pace);
    if (this.moving && !this.filming && this.pace > slow_picture && this.coarseness < coarsest) {
      ++this.coarseness;
      this.pace = 0;
      this.resize();
    }
  }

  resize() {
    const { clientWidth, clientHeight } = this.canvas.parentElement;
    const coarse = this.moving ? 0.75 ** this.coarseness : 1;
    this.renderer.setPixelRatio(coarse * Math.min(window.devicePixelRatio, 2));
    this.renderer.setSize(Math.max(clientWidth, 1), Math.max(clientHeight, 1), false);
    this.camera.aspect = Math.max(clientWidth, 1) / Math.max(clientHeight, 1);
    this.camera.updateProjectionMatrix();
  }

  /// Light, fog and depth range go with the camera, so that scenes of all sizes look the same.
  place_light() {
    const target = this.controls.target;
    const distance = this.camera.position.distanceTo(target);
    const reach = Math.max(this.radius * 1.6, Math.min(distance * 0.8, this.radius * 12));
    this.sun.target.position.copy(target);
    this.sun.position
      .copy(target)
      .addScaledVector(this.ahead, 0.5 * reach)
      .addScaledVector(this.side, -1.3 * reach)
      .addScaledVector(this.up, 2.2 * reach);
    const box = this.sun.shadow.camera;
    box.left = box.bottom = -reach;
    box.right = box.top = reach;
    box.near = 0.1 * reach;
    box.far = 6 * reach;
    box.updateProjectionMatrix();
    this.sun.shadow.normalBias = reach * 0.004;
    this.scene.fog.near = distance * 2.5 + this.radius * 4;
    this.scene.fog.far = distance * 9 + this.radius * 40;
    this.camera.near = Math.max(distance * 0.02, 1e-4);
    this.camera.far = this.scene.fog.far * 1.5;
    this.camera.updateProjectionMatrix();
    this.sky.position.copy(this.camera.position);
    this.sky.scale.setScalar(this.camera.far * 0.5);
  }

  render() {
    this.update_controls();
    this.place_light();
    this.renderer.render(this.scene, this.camera);
  }
}
