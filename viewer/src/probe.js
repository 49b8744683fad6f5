// `window.stiction`: what is shown now, for tests and for the curious.
import { Vector3 } from "three";
import { line_length } from "./tendons.js";

export function expose(app) {
  const { session, view, picker } = app;
  const point = new Vector3();
  const on_page = (x, y) => {
    const box = view.stage.canvas.getBoundingClientRect();
    return [box.left + x, box.top + y];
  };
  const point_on_page = (p) => {
    p.project(view.stage.camera);
    const { clientWidth, clientHeight } = view.stage.canvas;
    return on_page(((p.x + 1) / 2) * clientWidth, ((1 - p.y) / 2) * clientHeight);
  };
  window.stiction = {
    frame: () => app.moment.frame,
    /// Rests at a time and draws it; resolves when that is on the screen.
    showTime: (time) => {
      session.player.pause();
      session.player.seek_time(time);
      session.advance(0);
      app.draw(performance.now());
      return new Promise((done) => requestAnimationFrame(() => done(app.moment.time)));
    },
    time: () => app.moment.time,
    playing: () => session.player.playing,
    frames: () => session.player.last + 1,
    contactsShown: () => view.contacts.points.count,
    arrowsShown: () => view.contacts.heads.count,
    anchorsShown: () => view.contacts.anchors.rings.count,
    stretchMagnified: () => view.contacts.anchors.magnified,
    conesShown: () => view.contacts.cones.count,
    runs: () => view.bodies.length,
    front: () => view.front,
    drawn: () => app.drawn,
    /// When the page had these things, since it was opened [ms].
    marks: () => Object.fromEntries(
      performance.getEntriesByType("mark").map(({ name, startTime }) => [name.replace("stiction-", ""), startTime])),
    /// Mean time of JavaScript for a picture [ms], over `count` pictures across the run; what the
    /// graphics card takes is not in it.
    scriptTime: (count) => {
      const { start, end } = session.player;
      const from = performance.now();
      for (let i = 0; i < count; ++i) {
        session.player.seek_time(start + ((i + 0.5) / count) * (end - start));
        session.advance(0);
        app.draw(performance.now());
      }
      return (performance.now() - from) / count;
    },
    /// Of the last picture: draw calls and triangles, with those of shadows.
    drawCalls: () => view.stage.renderer.info.render.calls,
    trianglesDrawn: () => view.stage.renderer.info.render.triangles,
    theme: () => app.theme.name,
    look: (from, at) => {
      view.stage.camera.position.set(...from);
      view.stage.controls.target.set(...at);
      app.touch();
    },
    cameraHeight: () => view.stage.camera.position.dot(view.stage.up) - (view.stage.floor ?? 0),
    camera: () => view.stage.camera.position.toArray(),
    choosePlots: (keys) => app.choose_plots(keys),
    plots: () => [...app.chosen],
    plotNumbers: (key) => {
      const { series } = session.curves(app.theme, [key]);
      return series[0].map(({ name, values, count }) => ({ name, values: [...values.subarray(0, count)] }));
    },
    plotTimes: (key) => {
      const { series } = session.curves(app.theme, [key]);
      return [...series[0][0].times.subarray(0, series[0][0].count)];
    },
    shown: () => app.shown_overlays(),
    csv: () => app.plots_as_csv(),
    link: () => app.save_menu.link(),
    trails: () => view.overlays.trails.drawn,
    framesShown: () => (view.overlays.frames.visible ? view.overlays.frames.marks.count : 0),
    centerOfMass: () => view.overlays.balance.center.toArray(),
    supportMargin: () => view.overlays.balance.margin,
    /// For each tendon its length in the picture [m], by the pieces that pulleys divide it into.
    tendonLengths: () => view.overlays.tendons.lines.map((lines) => lines.map(line_length)),
    tendonsShown: () => (view.overlays.tendons.visible ? view.overlays.tendons.count : 0),
    hash: () => app.moment.hash ?? "",
    selected: () => app.selection.kind,
    shapesDrawn: () =>
      view.bodies.map((b) =>
        b.batches.reduce((n, { mesh }) => n + (mesh.visible ? mesh.count : 0), 0),
      ),
    bodyPosition: (i) => [...app.moment.positions.subarray(3 * i, 3 * i + 3)],
    bodyIndex: (name) => app.scene.bodies.findIndex((body) => body.name === name),
    bodyOnPage: (i) => point_on_page(point.fromArray(app.moment.positions, 3 * i)),
    pointOnPage: (place) => point_on_page(point.fromArray(place)),
    contactOnPage: (i) => {
      const p = picker.screen_point(app.moment, i);
      return on_page(p.x, p.y);
    },
  };
}
