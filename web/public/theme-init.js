// Runs before the first paint; the content security policy forbids inline scripts.
(function () {
  var systemDark = matchMedia("(prefers-color-scheme: dark)");
  function apply() {
    var choice = null;
    try {
      choice = localStorage.getItem("theme");
    } catch {
      // Storage may be off.
    }
    var dark = choice === "dark" || (choice !== "light" && systemDark.matches);
    document.documentElement.dataset.theme = dark ? "dark" : "light";
  }
  apply();
  systemDark.addEventListener("change", apply);
})();
