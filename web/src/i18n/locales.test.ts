import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { describe, expect, it } from "vitest";
import { allAreas, areas, type Area } from "./areas";

const sourceRoot = join(import.meta.dirname, "..");
const localeRoot = join(import.meta.dirname, "locales");

type Texts = Map<string, string>;

function flatten(value: unknown, path: string, into: Texts): void {
  if (typeof value === "string") into.set(path, value);
  else if (value && typeof value === "object") {
    for (const [name, inner] of Object.entries(value)) flatten(inner, `${path}.${name}`, into);
  }
}

function readLocale(language: string): { files: string[]; texts: Texts } {
  const files = readdirSync(join(localeRoot, language)).toSorted();
  const texts: Texts = new Map();
  for (const file of files) {
    const parsed: unknown = JSON.parse(readFileSync(join(localeRoot, language, file), "utf8"));
    flatten(parsed, file.slice(0, -".json".length), texts);
  }
  return { files, texts };
}

function sourceFiles(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return entry.name === "gen" ? [] : sourceFiles(path);
    return /(?<!\.gen|\.test|\.d)\.tsx?$/.test(entry.name) ? [path] : [];
  });
}

const plural = /_(zero|one|two|few|many|other)$/;
const base = (name: string): string => name.replace(plural, "");
const formsOf = (texts: Texts): Map<string, string[]> =>
  Map.groupBy(
    [...texts.keys()].filter((name) => plural.test(name)),
    base,
  );
const placeholders = (text: string): string[] =>
  [...new Set([...text.matchAll(/\{\{-?\s*(\w+)/g)].map((match) => match[1] ?? ""))].toSorted();

const en = readLocale("en");
const es = readLocale("es");
const defined = new Set([...en.texts.keys()].map(base));
const sources = sourceFiles(sourceRoot).map((path) => ({
  path: relative(sourceRoot, path),
  text: readFileSync(path, "utf8"),
}));

describe("texts", () => {
  it("exist in both languages, file by file and key by key", () => {
    expect(es.files).toEqual(en.files);
    const inEnglish = [...defined].toSorted();
    const inSpanish = [...new Set([...es.texts.keys()].map(base))].toSorted();
    expect(inSpanish).toEqual(inEnglish);
  });

  it("have every plural form of their language", () => {
    const complete = (texts: Texts, forms: string[]) =>
      [...formsOf(texts)].filter(([, names]) => {
        const have = names.map((name) => name.slice(base(name).length + 1)).toSorted();
        return have.join() !== forms.join();
      });
    expect(complete(en.texts, ["one", "other"])).toEqual([]);
    expect(complete(es.texts, ["many", "one", "other"])).toEqual([]);
  });

  it("are never empty", () => {
    const empty = [...en.texts, ...es.texts].filter(([, text]) => text.trim() === "");
    expect(empty).toEqual([]);
  });

  it("have the same placeholders in both languages", () => {
    const byBase = (texts: Texts) =>
      Object.fromEntries(
        [...Map.groupBy(texts, ([name]) => base(name))].map(([name, forms]) => [
          name,
          [...new Set(forms.flatMap(([, text]) => placeholders(text)))].toSorted(),
        ]),
      );
    expect(byBase(es.texts)).toEqual(byBase(en.texts));
  });

  it("are all used", () => {
    const literals = new Set(
      sources.flatMap(({ text }) =>
        [...text.matchAll(/["'`]([\w-]+(?:\.[\w-]+)+)["'`]/g)].map((m) => m[1]),
      ),
    );
    // Refusals are looked up by the server's codes.
    const named = [...defined].filter((name) => !name.startsWith("refusals."));
    expect(named.filter((name) => !literals.has(name))).toEqual([]);
  });

  it("are defined wherever one is used", () => {
    const used = sources.flatMap(({ path, text }) =>
      [...text.matchAll(/(?:\bt|\bkey)\(\s*["']([^"']+)["']|i18nKey="([^"]+)"/g)].map((match) => ({
        path,
        name: match[1] ?? match[2] ?? "",
      })),
    );
    expect(used.length).toBeGreaterThan(50);
    expect(used.filter(({ name }) => !defined.has(base(name)))).toEqual([]);
  });

  it("are used by whole names, so that they can be searched for", () => {
    const composed = sources.filter(({ text }) => /\bt\(\s*`/.test(text)).map(({ path }) => path);
    expect(composed).toEqual([]);
  });
});

const importPattern =
  /(?:from|(?:[wW]ithTexts\(\s*\[(?<areas>[^\]]*)\],\s*\(\) =>\s*)?import\()\s*"(?<target>[#.][^"]+)"/g;

/**
 * The transitive imports of these files, without tests, each with the areas loaded on the way to
 * it.
 */
function importedBy(roots: string[], loaded: Area[]) {
  const byPath = new Map(sources.map((source) => [source.path, source]));
  const found = new Map<string, { path: string; text: string; loaded: string[] }>();
  const queue = roots.map((path): { path: string; loaded: string[] } => ({ path, loaded }));
  for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
    const { path } = next;
    const source = byPath.get(path);
    const name = `${path} ${next.loaded.toSorted().join()}`;
    // The routes load their texts, and are roots of their own.
    if (!source || found.has(name) || /^app\/(app-root|pages)\b/.test(path)) continue;
    found.set(name, { ...source, loaded: next.loaded });
    for (const { groups } of source.text.matchAll(importPattern)) {
      const { target = "", areas: given = "" } = groups ?? {};
      const bare = target.startsWith("#/") ? target.slice(2) : join(dirname(path), target);
      const more = [...given.matchAll(/"(\w+)"/g)].map(([, area]) => area ?? "");
      const reached = [...new Set([...next.loaded, ...more])];
      queue.push(...[".ts", ".tsx"].map((end) => ({ path: `${bare}${end}`, loaded: reached })));
    }
  }
  return [...found.values()];
}

const areaOf = (name: string): Area | undefined =>
  allAreas.find((area) => areas[area].some((file) => name.startsWith(`${file}.`)));

const office: Area[] = ["visitor", "home", "office", "person", "security"];

describe("areas of texts", () => {
  it("hold every file once", () => {
    const listed = allAreas.flatMap((area) => areas[area].map((file) => `${file}.json`));
    expect(listed.toSorted()).toEqual(en.files);
  });

  it.each<[string, Area[], RegExp]>([
    ["visitors", ["visitor"], /^routes\/_guest\/(?!staff)/],
    ["new support staff", ["visitor", "security"], /^routes\/_guest\/staff/],
    [
      "operators",
      ["person", "operator", "landing"],
      /^(routes\/_operator|features\/operator\/operator-page)/,
    ],
    ["the dashboard's readers", ["home", "person"], /^routes\/-manager-home\.tsx/],
    ["a signed-in person", [], /^app\/signed-in/],
    ["managers", [...office], /^routes\/_manager\/(?!audit|instr|sett|subs)/],
    ["managers about the company", [...office, "profile"], /^routes\/_manager\/sett/],
    ["managers about themselves", [...office, "operator", "profile"], /^routes\/_person\/prof/],
    [
      "readers of notifications",
      ["visitor", "person", "operator", "profile", "notifications"],
      /^routes\/_person\/notif/,
    ],
    ["support staff", ["visitor", "support"], /^routes\/_staff\/admin-accounts\.tsx/],
    [
      "support staff about one account",
      ["visitor", "support", "history"],
      /^routes\/_staff\/admin-accounts_/,
    ],
    [
      "support staff's own password",
      ["visitor", "office", "person", "profile"],
      /^routes\/_staff\/password/,
    ],
    ["owners who read the audit log", [...office, "history"], /^routes\/_manager\/audit/],
    [
      "readers of the guide",
      [...office, "operator", "profile", "guide"],
      /^routes\/_manager\/instr/,
    ],
    ["subscribers", [...office, "sandbox"], /^routes\/(_manager\/subs|_sandbox)/],
  ])("of %s have all texts of their pages", (_, loaded, pages) => {
    const roots = sources.map(({ path }) => path).filter((path) => pages.test(path));
    expect(roots.length).toBeGreaterThan(0);
    const missing = importedBy(roots, loaded).flatMap(({ path, text, loaded: known }) =>
      [...text.matchAll(/["'`]([\w-]+(?:\.[\w-]+)+)["'`]/g)]
        .map(([, name]) => name ?? "")
        .filter((name) => defined.has(base(name)))
        .filter((name) => !["shared", ...known].includes(areaOf(name) ?? ""))
        .map((name) => `${path}: ${name}`),
    );
    expect(missing).toEqual([]);
  });
});
