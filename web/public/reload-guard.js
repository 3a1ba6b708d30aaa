// Safari-type browsers sometimes show a page that has loaded but stays empty; loading it once more
// helps. A file, not an inline script, so that a strict content security policy holds.
(function () {
  if (!/^(?:(?!chrome|android).)*safari/i.test(navigator.userAgent)) return;

  function isEmpty() {
    var root = document.getElementById("root");
    // What index.html itself shows there is not a page yet.
    return !root || !root.querySelector(":scope > :not([data-starting])");
  }

  function guard() {
    setTimeout(function () {
      if (!isEmpty()) return;
      try {
        // Once a tab: a page that stays empty for another reason must not reload for ever.
        if (sessionStorage.getItem("reloadedWhenEmpty") !== null) return;
        sessionStorage.setItem("reloadedWhenEmpty", "1");
      } catch {
        return;
      }
      location.reload();
    }, 3000);
  }

  if (document.readyState === "complete") guard();
  else addEventListener("load", guard, { once: true });
})();
