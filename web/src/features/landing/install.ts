import { promptInstall, shownInstallWay } from "#/shared/install/install-offer";
import { guideFor } from "#/shared/install/install-way";

/** Offers installation if the browser supports it, and shows the steps for this device first. */
export function startInstall(root: HTMLElement, signal: AbortSignal): void {
  const show = () => {
    const way = shownInstallWay.get();
    const shown = way === "prompt" || way === "installed" ? way : "steps";
    for (const part of root.querySelectorAll<HTMLElement>("[data-install]")) {
      part.hidden = part.dataset.install !== shown;
    }
    const own = guideFor(way, navigator.userAgent);
    for (const guide of root.querySelectorAll<HTMLElement>("[data-guide]")) {
      const isOwn = guide.dataset.guide === own;
      if (isOwn) guide.parentElement?.prepend(guide);
      const badge = guide.querySelector<HTMLElement>("[data-this-device]");
      if (badge) badge.hidden = !isOwn;
    }
    for (const steps of root.querySelectorAll<HTMLElement>("[data-guide=computer] [data-mac]")) {
      steps.hidden = steps.dataset.mac !== String(way === "mac");
    }
  };
  for (const button of root.querySelectorAll("button[data-install=prompt]")) {
    button.addEventListener("click", () => void promptInstall(), { signal });
  }
  signal.addEventListener("abort", shownInstallWay.subscribe(show));
  show();
}
