// A sentence to the user over the picture.
import { by_id, set_text } from "./dom.js";

let hiding = 0;

/// Says something for a while; Infinity: until something else is said.
export function say(words, milliseconds = 5000) {
  const notice = by_id("notice");
  set_text(notice, words);
  notice.hidden = false;
  clearTimeout(hiding);
  if (Number.isFinite(milliseconds)) {
    hiding = setTimeout(() => (notice.hidden = true), milliseconds);
  }
}
