// Colours of modes, runs and shapes.
import { Color, SRGBColorSpace } from "three";
import { has_own_colors, image_of } from "./looks.js";

export const mode_names = ["opening", "sticking", "slipping"];
export const mode_colors = ["#8b9bb0", "#0fb684", "#f2407c"];

export const anchor_color = "#8a56f5";

/// Colours of runs in a comparison.
export const run_colors = ["#4c8dff", "#ff9f1c", "#2ec4a6", "#c77dff", "#ef476f", "#a3b18a"];

const robot_palette = ["#5479b0", "#b4c8df", "#7fa0c9", "#dbe4ee"];
const free_palette = ["#dca45c", "#c67f5e", "#b99a6b", "#cf9170", "#a8875f", "#d9b877"];
const world_color = "#9aa5b1";

/// Whether a shape has the colour that a file gets that says none.
export function is_uncolored([r, g, b]) {
  return r === g && g === b && (Math.abs(r - 0.7) < 0.01 || Math.abs(r - 0.5) < 0.01);
}

/// For every body: root of its tree, depth in it, and how many bodies its tree has.
export function trees(bodies) {
  const roots = [];
  const depths = [];
  const sizes = new Array(bodies.length).fill(0);
  bodies.forEach((body, i) => {
    roots.push(body.parent < 0 ? i : roots[body.parent]);
    depths.push(body.parent < 0 ? 0 : depths[body.parent] + 1);
    ++sizes[roots[i]];
  });
  return { roots, depths, sizes };
}

/// The colour of every shape. Shapes without one of their own get one by their place: parts of a
/// robot, free bodies, and the world are told apart.
export function shape_colors(scene) {
  const { roots, depths, sizes } = trees(scene.bodies);
  let free = 0;
  const free_index = scene.bodies.map((_, i) => (sizes[roots[i]] === 1 ? free++ : -1));
  return scene.shapes.map((shape) => {
    const color = new Color();
    if (has_own_colors(scene, shape)) {
      return color.set("#ffffff");
    }
    if (!is_uncolored(shape.color) || image_of(scene, shape)) {
      return color.setRGB(...shape.color.slice(0, 3), SRGBColorSpace);
    }
    if (shape.body < 0) {
      return color.set(world_color);
    }
    if (free_index[shape.body] >= 0) {
      return color.set(free_palette[free_index[shape.body] % free_palette.length]);
    }
    return color.set(robot_palette[depths[shape.body] % robot_palette.length]);
  });
}
