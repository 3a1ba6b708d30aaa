// Runs before the first paint. It is a file, not an inline script, so that a strict content security policy holds.
(function () {
  var choice = null;
  try {
    choice = localStorage.getItem("theme");
  } catch {
    // Storage may be switched off; the system's choice then applies.
  }
  var dark =
    choice === "dark" || (choice !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);
  document.documentElement.dataset.theme = dark ? "dark" : "light";
})();
