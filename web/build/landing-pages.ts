import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { runnerImport, type InlineConfig, type Plugin } from "vite";
import { languages, type Language } from "../src/i18n/languages.ts";
import type * as LandingHtml from "../src/landing-html.tsx";

const root = fileURLToPath(new URL("..", import.meta.url));
const pageName = (language: Language) => `landing-${language}.html`;

export const landingPages = Object.fromEntries(
  languages.map((language) => [`landing-${language}`, pageName(language)]),
);

/** Renders the landing page to one HTML file per language, with the head of `index.html`. */
export function prerenderLanding(alias: Record<string, string>): Plugin {
  const languageOf = (id: string) =>
    languages.find((language) => id === `${root}${pageName(language)}`);
  return {
    name: "prerender-landing",
    apply: "build",
    enforce: "pre",
    resolveId(source) {
      const name = Object.values(landingPages).find((page) => source === page);
      return name && `${root}${name}`;
    },
    async load(id) {
      const language = languageOf(id);
      return language && (await landingPage(language, alias));
    },
  };
}

async function landingPage(language: Language, alias: Record<string, string>): Promise<string> {
  const config: InlineConfig = { root, configFile: false, resolve: { alias }, logLevel: "warn" };
  const { module } = await runnerImport<typeof LandingHtml>("./src/landing-html.tsx", config);
  const { body, title, description } = await module.renderLanding(language);
  const page = await readFile(`${root}index.html`, "utf8");
  const changes: ReadonlyArray<[part: RegExp, replacement: string]> = [
    [/(?<=<html lang=")en/, language],
    [/(?<=<title>)[^<]*/, title],
    [/(?<=name="description"\s+content=")[^"]*/, description],
    // The page is never empty, so it needs no guard.
    [/<script src="\/reload-guard.js" async><\/script>/, stylesheet],
    [/(?<=<div id="root">).*(?=<\/div>\s*<script type="module")/s, body],
    [/\/src\/main\.tsx/, "/src/landing.ts"],
  ];
  return changes.reduce((text, [part, replacement]) => {
    if (!part.test(text)) throw new Error(`index.html has no ${part.source}`);
    return text.replace(part, () => replacement);
  }, page);
}

const stylesheet = '<link rel="stylesheet" href="/src/styles/landing.css" />';
