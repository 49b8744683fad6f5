import { Scene } from "three";

const data = JSON.parse(document.getElementById("stiction-data").textContent);
const scene = new Scene();
document.getElementById("app").textContent = data
  ? `${data.scene.name}: ${data.runs.length} run(s), ${scene.children.length} objects`
  : "This page holds no data.";
document.title = "Stiction - ready";
