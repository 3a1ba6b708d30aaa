import { clsx } from "clsx";
import { useSyncExternalStore } from "react";
import { useTranslation } from "react-i18next";
import { currentLanguage, type Language } from "#/i18n";
import { useSettled } from "./use-settled";

const files = import.meta.glob<string>("./shots/*.webp", {
  eager: true,
  query: "?url",
  import: "default",
});

/** What scripts/landing-shots.mjs takes, in the size that each picture is made for. */
const sizes = {
  dashboard: { width: 1280, height: 636 },
  cards: { width: 390, height: 460 },
  machine: { width: 860, height: 760 },
  operator: { width: 390, height: 792 },
} as const;

export type ShotName = keyof typeof sizes;
type Theme = "light" | "dark";

function shotUrl(name: ShotName, language: Language, theme: Theme): string {
  return files[`./shots/${name}-${language}-${theme}.webp`] ?? "";
}

/**
 * Holds the place of a picture further down while the first one loads. `loading="lazy"` begins
 * several screens early, and on a phone's connection takes that from the first picture; and it
 * never begins for who prints or takes the page as one picture.
 */
function placeholder({ width, height }: { width: number; height: number }): string {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"/>`;
  return `data:image/svg+xml,${encodeURIComponent(svg)}`;
}

function watchTheme(changed: () => void): () => void {
  const observer = new MutationObserver(changed);
  observer.observe(document.documentElement, { attributeFilter: ["data-theme"] });
  return () => observer.disconnect();
}

function theme(): Theme {
  return document.documentElement.dataset.theme === "dark" ? "dark" : "light";
}

/** The product as it looks in the reader's language and theme. */
export function ProductShot({
  name,
  narrow,
  alt,
  first = false,
  className,
}: {
  name: ShotName;
  /** Another picture for a phone. */
  narrow?: ShotName;
  alt: string;
  /** On the first screen: loaded at once, all others after it. */
  first?: boolean;
  className?: string;
}) {
  // Rendered again when the language changes.
  useTranslation();
  const look = useSyncExternalStore(watchTheme, theme);
  const language = currentLanguage();
  const due = useSettled() || first;
  return (
    <picture>
      {narrow && (
        <source
          media="(max-width: 699px)"
          srcSet={shotUrl(narrow, language, look)}
          {...sizes[narrow]}
        />
      )}
      <img
        src={due ? shotUrl(name, language, look) : placeholder(sizes[name])}
        alt={alt}
        {...sizes[name]}
        fetchPriority={first ? "high" : "low"}
        className={clsx("block h-auto w-full", className)}
      />
    </picture>
  );
}
