import { start } from "./app/start";
import "./i18n";

// After a release the files of an open page no longer exist; a reload gets the new ones.
window.addEventListener("vite:preloadError", (event) => {
  const last = Number(sessionStorage.getItem("reloadedForCode"));
  if (Date.now() - last < 60_000 || !navigator.onLine) return;
  sessionStorage.setItem("reloadedForCode", String(Date.now()));
  event.preventDefault();
  window.location.reload();
});

const root = document.getElementById("root");
if (!root) throw new Error("index.html has no #root");
start(root);
