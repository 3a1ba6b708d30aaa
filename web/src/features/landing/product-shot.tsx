import { clsx } from "clsx";
import type { Language } from "#/i18n/languages";

const files = import.meta.glob<string>("./shots/*.webp", {
  eager: true,
  query: "?url",
  import: "default",
});

/** Pictures taken by scripts/landing-shots.mjs, with their sizes. */
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

const phone = "(max-width: 699px)";
const dark = "(prefers-color-scheme: dark)";

export function ProductShot({
  name,
  narrow,
  language,
  alt,
  first = false,
  className,
}: {
  name: ShotName;
  /** Another picture for a phone. */
  narrow?: ShotName;
  language: Language;
  alt: string;
  /** On the first screen: loaded first. */
  first?: boolean;
  className?: string;
}) {
  return (
    <picture>
      {narrow && (
        <>
          <source
            media={`${phone} and ${dark}`}
            srcSet={shotUrl(narrow, language, "dark")}
            {...sizes[narrow]}
          />
          <source media={phone} srcSet={shotUrl(narrow, language, "light")} {...sizes[narrow]} />
        </>
      )}
      <source media={dark} srcSet={shotUrl(name, language, "dark")} {...sizes[name]} />
      <img
        // Set before `src`, which starts the download.
        loading={first ? "eager" : "lazy"}
        fetchPriority={first ? "high" : "low"}
        src={shotUrl(name, language, "light")}
        alt={alt}
        {...sizes[name]}
        className={clsx("block h-auto w-full", className)}
      />
    </picture>
  );
}
