import { reloadForRelease } from "./app/stale-code";
import { start } from "./app/start";
import "./i18n";

window.addEventListener(
  "vite:preloadError",
  () => void reloadForRelease(import.meta.url, () => window.location.reload()),
);

const root = document.getElementById("root");
if (!root) throw new Error("index.html has no #root");
start(root);
