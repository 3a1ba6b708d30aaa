const signs = ["pointermove", "pointerdown", "touchstart", "keydown", "scroll"] as const;
/** After the load event, when the first screen is painted even on a slow phone. */
const pauseMs = 600;
const systemDark = "(prefers-color-scheme: dark)";

/**
 * Shows the pictures of the chosen theme. Pictures further down load at the first input or shortly
 * after the page, so that they don't delay the first one but exist for printing.
 */
export function startPictures(root: HTMLElement, signal: AbortSignal): void {
  const { theme } = document.documentElement.dataset;
  if ((theme === "dark") !== window.matchMedia(systemDark).matches) {
    const always = theme === "dark" ? "(min-width: 0px)" : "(max-width: 0px)";
    for (const source of root.querySelectorAll("source")) {
      source.media = source.media.replace(systemDark, always);
    }
  }

  const settle = () => {
    for (const image of root.querySelectorAll("img")) image.removeAttribute("loading");
  };
  const once = { passive: true, once: true, signal };
  for (const sign of signs) window.addEventListener(sign, settle, once);
  window.addEventListener("beforeprint", settle, once);
  const loaded = () => {
    const timer = setTimeout(settle, pauseMs);
    signal.addEventListener("abort", () => clearTimeout(timer));
  };
  if (document.readyState === "complete") loaded();
  else window.addEventListener("load", loaded, once);
}
