import { createStoredChoice, useStore } from "./store";

type ContrastChoice = "system" | "normal" | "high";

/** public/theme-init.js reads it before the first paint. */
const choice = createStoredChoice<ContrastChoice>("contrast", ["system", "normal", "high"]);

export function setContrast(next: ContrastChoice): void {
  choice.set(next);
  const isHigh =
    next === "high" || (next === "system" && matchMedia("(prefers-contrast: more)").matches);
  document.documentElement.dataset.contrast = isHigh ? "high" : "normal";
}

export const useContrast = (): ContrastChoice => useStore(choice);
