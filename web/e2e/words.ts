import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import * as v from "valibot";

export type Language = "en" | "es";

interface Tree {
  [key: string]: string | Tree;
}

const treeSchema: v.GenericSchema<Tree> = v.record(
  v.string(),
  v.union([v.string(), v.lazy(() => treeSchema)]),
);

const folder = join(import.meta.dirname, "../src/i18n/locales");

function load(language: Language): Tree {
  const files = readdirSync(join(folder, language));
  const read = (file: string) =>
    v.parse(treeSchema, JSON.parse(readFileSync(join(folder, language, file), "utf8")));
  return Object.fromEntries(files.map((file) => [basename(file, ".json"), read(file)]));
}

const texts: Record<Language, Tree> = { en: load("en"), es: load("es") };

/** The product's own texts, so that a test can run in every language. */
export function words(language: Language) {
  return (path: string, values: Record<string, string | number> = {}): string => {
    let at: string | Tree | undefined = texts[language];
    for (const step of path.split(".")) at = typeof at === "object" ? at[step] : undefined;
    if (typeof at !== "string") throw new Error(`no text ${path} in ${language}`);
    return at.replaceAll(/\{\{(\w+)\}\}/g, (_, name: string) => String(values[name]));
  };
}

export type Words = ReturnType<typeof words>;
