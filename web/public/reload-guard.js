// Safari sometimes leaves a loaded page empty; one reload helps.
(function () {
  if (!/^(?:(?!chrome|android).)*safari/i.test(navigator.userAgent)) return;

  function isEmpty() {
    var root = document.getElementById("root");
    return !root || !root.querySelector(":scope > :not([data-starting])");
  }

  function guard() {
    setTimeout(function () {
      if (!isEmpty()) return;
      try {
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
