// The menu that saves and shares: a link to this moment, a picture, a video, the plotted numbers.
import { default_keys } from "./channels.js";
import { by_id, set_text } from "./dom.js";
import { Film, copy_text, download, file_name, save_picture } from "./save.js";

const film_words = { start: "Video of the run (WebM)", stop: "Stop the video" };

export class SaveMenu {
  constructor(app) {
    this.app = app;
    this.film = null;
    const live = !app.session.link_words;
    by_id("copy-link").hidden = live;
    set_text(by_id("save-video"), live ? "Video from now on (WebM)" : film_words.start);
    this.live = live;
    this.on("copy-link", () => this.copy_link());
    this.on("save-picture", () => save_picture(app));
    this.on("save-video", () => this.toggle_film());
    this.on("save-csv", () => {
      download(new Blob([app.plots_as_csv()], { type: "text/csv" }), file_name(app.scene, ".csv"));
    });
  }

  on(id, action) {
    by_id(id).addEventListener("click", () => {
      this.app.controls.menus.close();
      action();
    });
  }

  /// The address of this page with time, selection, camera and plots.
  link() {
    const { app } = this;
    const words = app.session.link_words();
    const { body } = app.selection;
    if (body >= 0) {
      words.push(["body", app.scene.bodies[body].name || String(body)]);
    }
    words.push(["view", app.view.stage.view_words()]);
    if (app.shown_overlays().length > 0) {
      words.push(["show", app.shown_overlays().join(",")]);
    }
    if (String(app.chosen) !== String(default_keys)) {
      words.push(["plots", app.chosen.join(",")]);
    }
    const fragment = words.map(([key, value]) => `${key}=${encodeURIComponent(value).replaceAll("%2C", ",").replaceAll("%3A", ":")}`);
    return `${location.href.split("#")[0]}#${fragment.join("&")}`;
  }

  async copy_link() {
    const link = this.link();
    this.app.session.player.pause();
    history.replaceState(null, "", link);
    const done = await copy_text(link);
    this.app.say(done ? "The link to this moment was copied." : "The link is in the address bar.");
  }

  toggle_film() {
    if (this.film) {
      this.film.stop();
      return;
    }
    const { app } = this;
    const { stage } = app.view;
    try {
      stage.set_filming(true);
      this.film = new Film(app, (failure) => this.film_ended(failure));
    } catch (error) {
      stage.set_filming(false);
      app.say(error.message);
      return;
    }
    set_text(by_id("save-video"), film_words.stop);
    app.say(this.live ? "Filming. Save > Stop the video ends it." : "Filming the run while it plays.");
    if (!this.live) {
      app.session.player.restart();
      app.session.player.play();
    }
    app.touch();
  }

  film_ended(failure) {
    this.film = null;
    this.app.view.stage.set_filming(false);
    set_text(by_id("save-video"), this.live ? "Video from now on (WebM)" : film_words.start);
    this.app.say(failure || "The video was saved.");
  }

  /// After each picture: the video ends with the run.
  tick() {
    const { player } = this.app.session;
    if (this.film && !this.live && !player.playing) {
      this.film.stop();
    }
  }
}
