// Menus: a button that opens a panel of more buttons. Open ones close with Esc, with a click elsewhere,
// and when another opens.
import { by_id } from "./dom.js";

const names = ["show", "camera", "save", "plots"];

export class Menus {
  /// `on_open(name)`: just before a menu is shown.
  constructor(on_open) {
    this.on_open = on_open;
    this.opened = null;
    for (const name of names) {
      by_id(`${name}-open`).addEventListener("click", () => this.toggle(name));
    }
    window.addEventListener("pointerdown", (event) => {
      if (this.opened && !this.parts(this.opened).root.contains(event.target)) {
        this.close();
      }
    });
    window.addEventListener("keydown", (event) => this.take_key(event), { capture: true });
  }

  parts(name) {
    const button = by_id(`${name}-open`);
    return { button, panel: by_id(`${name}-menu`), root: button.parentElement };
  }

  toggle(name) {
    const wanted = this.opened === name ? null : name;
    this.close();
    if (wanted) {
      this.on_open(name);
      const { button, panel } = this.parts(name);
      panel.hidden = false;
      button.setAttribute("aria-expanded", "true");
      this.opened = name;
    }
  }

  close() {
    if (!this.opened) {
      return;
    }
    const { button, panel } = this.parts(this.opened);
    panel.hidden = true;
    button.setAttribute("aria-expanded", "false");
    this.opened = null;
  }

  /// Esc closes, arrows go through the entries.
  take_key(event) {
    if (!this.opened) {
      return;
    }
    const { button, panel } = this.parts(this.opened);
    if (event.key === "Escape") {
      this.close();
      button.focus();
    } else if (["ArrowDown", "ArrowUp"].includes(event.key) && document.activeElement.tagName === "BUTTON") {
      const entries = [button, ...panel.querySelectorAll("button:not([hidden])")];
      const at = entries.indexOf(document.activeElement);
      if (at < 0) {
        return;
      }
      const next = at + (event.key === "ArrowDown" ? 1 : entries.length - 1);
      entries[next % entries.length].focus();
    } else {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  }
}
