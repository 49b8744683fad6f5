// How bodies and shapes are called.

export const shape_name = (scene, i) => {
  const shape = scene.shapes[i];
  if (!shape) {
    return `shape ${i}`;
  }
  return shape.name || `${shape.kind} of ${body_name(scene, shape.body)}`;
};

export const body_name = (scene, i) =>
  i < 0 ? "world" : scene.bodies[i].name || `body ${i}`;
