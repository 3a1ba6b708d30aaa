import { createStoredChoice, useStore } from "./store";

export type ThemeChoice = "system" | "light" | "dark";

/** public/theme-init.js reads it before the first paint. */
const choice = createStoredChoice<ThemeChoice>("theme", ["system", "light", "dark"]);
const systemDark = window.matchMedia("(prefers-color-scheme: dark)");

function apply(): void {
  const chosen = choice.get();
  const dark = chosen === "dark" || (chosen === "system" && systemDark.matches);
  document.documentElement.dataset.theme = dark ? "dark" : "light";
}

systemDark.addEventListener("change", apply);

export function setTheme(next: ThemeChoice): void {
  choice.set(next);
  apply();
}

export const useTheme = (): ThemeChoice => useStore(choice);
