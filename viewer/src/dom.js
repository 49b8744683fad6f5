// Small helpers for elements.

export const by_id = (id) => document.getElementById(id);

/// An element with attributes and children (texts or elements).
export function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined && value !== false) {
      made.setAttribute(name, value === true ? "" : value);
    }
  }
  made.append(...children);
  return made;
}

/// Sets a text only if it changed: the page is not laid out anew for nothing.
export function set_text(target, text) {
  if (target.textContent !== text) {
    target.textContent = text;
  }
}

export function set_pressed(button, pressed) {
  button.setAttribute("aria-pressed", String(pressed));
}
