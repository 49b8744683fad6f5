// Where the camera looks from, and the floor that it stays above.
import { Vector3 } from "three";

/// [name in addresses, label, shares of ahead, left and up from what is looked at to the camera]
export const presets = [
  ["angle", "At an angle", [0.62, -0.72, 0.42]],
  ["front", "Front", [1, 0, 0.08]],
  ["back", "Back", [-1, 0, 0.08]],
  ["left", "Left", [0, 1, 0.08]],
  ["right", "Right", [0, -1, 0.08]],
  ["top", "Top", [-0.001, 0, 1]],
  ["below", "From below", [0.5, -0.6, -0.7]],
];

/// Two directions that make a right-handed frame with up.
export function axes_around(up) {
  const ahead = new Vector3(1, 0, 0);
  if (Math.abs(up.x) > 0.9) {
    ahead.set(0, 0, 1);
  }
  const side = new Vector3().crossVectors(up, ahead).normalize();
  return { side, ahead: new Vector3().crossVectors(side, up) };
}

/// Unit vector from what is looked at to the camera; of the first preset if there is none of that name.
export function way_of(name, { ahead, side, up }) {
  const [, , [x, y, z]] = presets.find(([word]) => word === name) ?? presets[0];
  return new Vector3()
    .addScaledVector(ahead, x)
    .addScaledVector(side, y)
    .addScaledVector(up, z)
    .normalize();
}

const scratch = new Vector3();

/// Keeps camera and target of the orbit controls above a height along `up` [m].
export function stay_above(controls, camera, up, height) {
  const below = height - controls.target.dot(up);
  if (below > 0) {
    controls.target.addScaledVector(up, below);
    camera.position.addScaledVector(up, below);
  }
  const distance = scratch.copy(camera.position).sub(controls.target).length();
  const least = (height - controls.target.dot(up)) / Math.max(distance, 1e-9);
  controls.maxPolarAngle = Math.acos(Math.min(Math.max(least, -1), 1));
}
