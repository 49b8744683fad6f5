// The gallery: a list of scenes, the replay of one of them, and words about it. Each replay is the page
// that `stiction simulate --html` writes, in a frame of its own; only the chosen one is there.
const by_id = (id) => document.getElementById(id);
const read = (id) => JSON.parse(by_id(id).textContent);

const viewer = read("gallery-viewer");
const { scenes, seconds } = read("gallery-scenes");
const place = '<script id="stiction-data" type="application/json">';
let chosen = -1;

/// The replay page with data in its place; `<` is written in a way that HTML does not see.
function page_of(data) {
  return viewer.replace(`${place}null<`, () => `${place}${data.textContent}<`);
}

function frame_of({ data, title }) {
  const frame = document.createElement("iframe");
  frame.title = `Replay: ${title}`;
  frame.allow = "clipboard-write";
  frame.srcdoc = page_of(by_id(data));
  const figure = document.createElement("figure");
  const caption = document.createElement("figcaption");
  caption.textContent = title;
  figure.append(frame, caption);
  return figure;
}

function show(index, focus) {
  chosen = (index + scenes.length) % scenes.length;
  const scene = scenes[chosen];
  by_id("scene-title").textContent = scene.title;
  by_id("look").textContent = scene.look;
  by_id("shows").textContent = scene.shows;
  by_id("commands").textContent = scene.alone.join("\n");
  by_id("steps").textContent = scene.certificate;
  by_id("steps").className = scene.uncertified ? "bad" : "good";
  by_id("uncertified").hidden = !scene.uncertified;
  by_id("uncertified").textContent = scene.uncertified;
  by_id("frames").replaceChildren(...scene.replays.map(frame_of));
  by_id("scenes").querySelectorAll("button").forEach((button, i) => {
    button.setAttribute("aria-current", String(i === chosen));
    if (i === chosen) {
      button.scrollIntoView({ block: "nearest", inline: "nearest" });
    }
  });
  document.title = `${scene.title} \u2013 Stiction gallery`;
  if (focus) {
    by_id("scene-title").focus();
  }
}

const go = (index) => (location.hash = `#${scenes[(index + scenes.length) % scenes.length].name}`);

function show_address(focus) {
  const index = scenes.findIndex(({ name }) => `#${name}` === location.hash);
  if (index !== chosen || chosen < 0) {
    show(Math.max(index, 0), focus);
  }
}

by_id("summary").textContent = `${scenes.length} scenes, simulated in ${seconds} s on the machine that built this page. Each is a replay: drag to turn it, click bodies and contacts, open the plots.`;
by_id("scenes").replaceChildren(...scenes.map(({ title }, i) => {
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = title;
  button.addEventListener("click", () => go(i));
  const item = document.createElement("li");
  item.append(button);
  return item;
}));
by_id("before").addEventListener("click", () => go(chosen - 1));
by_id("after").addEventListener("click", () => go(chosen + 1));
window.addEventListener("hashchange", () => show_address(true));
show_address(false);
