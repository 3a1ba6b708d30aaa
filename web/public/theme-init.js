// Runs before the first paint; the content security policy forbids inline scripts.
(function () {
  var systemDark = matchMedia("(prefers-color-scheme: dark)");
  var systemContrast = matchMedia("(prefers-contrast: more)");
  function chosen(key) {
    try {
      return localStorage.getItem(key);
    } catch {
      // Storage may be off.
      return null;
    }
  }
  function apply() {
    var theme = chosen("theme");
    var dark = theme === "dark" || (theme !== "light" && systemDark.matches);
    var contrast = chosen("contrast");
    var high = contrast === "high" || (contrast !== "normal" && systemContrast.matches);
    var page = document.documentElement.dataset;
    page.theme = dark ? "dark" : "light";
    page.contrast = high ? "high" : "normal";
  }
  apply();
  systemDark.addEventListener("change", apply);
  systemContrast.addEventListener("change", apply);
})();
