import { useSyncExternalStore } from "react";

const themeChoices = ["light", "dark", "system"] as const;
export type ThemeChoice = (typeof themeChoices)[number];

/** public/theme-init.js reads it before the first paint. */
const themeStorageKey = "theme";
const systemDark = window.matchMedia("(prefers-color-scheme: dark)");
const listeners = new Set<() => void>();

function read(): ThemeChoice {
  const stored = localStorage.getItem(themeStorageKey);
  return themeChoices.find((choice) => choice === stored) ?? "system";
}

let choice = read();

function apply(): void {
  const dark = choice === "dark" || (choice === "system" && systemDark.matches);
  document.documentElement.dataset.theme = dark ? "dark" : "light";
}

systemDark.addEventListener("change", apply);

export function setTheme(next: ThemeChoice): void {
  choice = next;
  if (next === "system") localStorage.removeItem(themeStorageKey);
  else localStorage.setItem(themeStorageKey, next);
  apply();
  for (const listener of listeners) listener();
}

export function useTheme(): ThemeChoice {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => choice,
  );
}
