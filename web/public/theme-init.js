// Runs before the first paint. It is a file, not an inline script, so that a strict content security policy holds.
(function () {
  var systemDark = matchMedia("(prefers-color-scheme: dark)");
  function apply() {
    var choice = null;
    try {
      choice = localStorage.getItem("theme");
    } catch {
      // Storage may be switched off; the system's choice then applies.
    }
    var dark = choice === "dark" || (choice !== "light" && systemDark.matches);
    document.documentElement.dataset.theme = dark ? "dark" : "light";
  }
  apply();
  // The visitor's pages come without the code that knows themes; they follow the system all the same.
  systemDark.addEventListener("change", apply);
})();
