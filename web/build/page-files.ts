import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type { Plugin, Rolldown } from "vite";
import { areas, type Area } from "../src/i18n/areas.ts";
import { languages } from "../src/i18n/languages.ts";

const source = fileURLToPath(new URL("../src/", import.meta.url));
const route = (name: string) => `routes/${name}.tsx?tsr-split=component`;

interface Page {
  /** What the page is made of beyond its static imports; relative to `src`. */
  modules: readonly string[];
  texts: readonly Area[];
  /** What these modules load when it is needed is part of the page too. */
  follow?: RegExp;
}

const application = ["main.tsx", "app/app-root.tsx"];
const signedIn = [...application, route("index"), "app/signed-in.tsx"];
const operator = [
  ...signedIn,
  "features/operator/operator-page.tsx",
  "features/operator/send/outbox-keeper.tsx",
];

/** What a page loads before it can be used, and what the service worker keeps of it. */
const pages = {
  "sign-in": {
    modules: [...application, route("_guest"), route("_guest/login")],
    texts: ["shared"],
  },
  "operator page": { modules: operator, texts: ["shared", "person", "operator"] },
  dashboard: {
    modules: [
      ...signedIn,
      "routes/-manager-home.tsx",
      "routes/-pages-ahead.ts",
      "shared/live/live-updates.tsx",
      "features/billing/access-banner.tsx",
    ],
    texts: ["shared", "person", "home"],
  },
  support: { modules: signedIn, texts: ["shared", "support"] },
  /** Every path that an operator can open, and what follows a session's end or a logout. */
  "operator offline": {
    modules: [
      ...operator,
      ...["_operator", "_operator/operator", "_operator/simple-operator"].map(route),
      ...["_person", "_person/profile"].map(route),
      "features/auth/session-ended.tsx",
      "features/operator/later-parts.ts",
      "shared/toast/toaster.tsx",
      "app/visitor-home.tsx",
    ],
    texts: ["shared", "person", "operator", "landing"],
    follow: /\/src\/(features\/(operator|profile)\/|shared\/|app\/header)/,
  },
} as const satisfies Record<string, Page>;

/** Writes the files of each page, with the texts of all languages, to `.vite/page-files.json`. */
export function listPageFiles(): Plugin {
  return {
    name: "list-page-files",
    applyToEnvironment: ({ name }) => name === "client",
    generateBundle(_, bundle) {
      const entries = Object.entries(pages).map(([name, page]) => [
        name,
        filesOf(this, bundle, page),
      ]);
      this.emitFile({
        type: "asset",
        fileName: ".vite/page-files.json",
        source: JSON.stringify(Object.fromEntries(entries), null, 2),
      });
    },
  };
}

const moduleName = "virtual:page-files";

/** Gives the service worker the files of each page; the application is built before it. */
export function importPageFiles(): Plugin {
  return {
    name: "import-page-files",
    applyToEnvironment: ({ name }) => name === "worker",
    resolveId: (name) => (name === moduleName ? `\0${moduleName}` : undefined),
    async load(id) {
      if (id !== `\0${moduleName}`) return undefined;
      const { root, build } = this.environment.config;
      const list = await readFile(`${root}/${build.outDir}/.vite/page-files.json`, "utf8");
      return `export const pageFiles = ${list};`;
    },
  };
}

function filesOf(
  { getModuleInfo }: Rolldown.PluginContext,
  bundle: Rolldown.OutputBundle,
  { modules, texts, follow }: Page,
): string[] {
  const chunks = Object.values(bundle).filter((output) => output.type === "chunk");
  const files = new Set<string>();
  const addChunk = (chunk: Rolldown.OutputChunk | undefined) => {
    if (!chunk || files.has(chunk.fileName)) return;
    files.add(chunk.fileName);
    for (const style of chunk.viteMetadata?.importedCss ?? []) files.add(style);
    for (const name of chunk.imports) addChunk(chunks.find(({ fileName }) => fileName === name));
  };
  const seen = new Set<string>();
  const visit = (id: string) => {
    if (seen.has(id)) return;
    seen.add(id);
    const found = getModuleInfo(id);
    if (!found) return;
    for (const next of found.importedIds) visit(next);
    if (follow?.test(id)) for (const next of found.dynamicallyImportedIds) add(next);
  };
  const add = (id: string) => {
    const chunk = chunks.find(({ moduleIds }) => moduleIds.includes(id));
    addChunk(chunk);
    visit(id);
  };
  for (const name of modules) {
    const id = source + name;
    if (!getModuleInfo(id)) throw new Error(`the build has no ${name}`);
    add(id);
  }
  for (const language of languages) {
    for (const name of texts.flatMap((area) => areas[area])) {
      add(`${source}i18n/locales/${language}/${name}.json`);
    }
  }
  return [...files].toSorted();
}
