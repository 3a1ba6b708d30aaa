import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type { Plugin, Rolldown } from "vite";
import type { Area } from "../src/i18n/areas.ts";
import { languages } from "../src/i18n/languages.ts";

const source = fileURLToPath(new URL("../src/", import.meta.url));
const route = (name: string) => `routes/${name}.tsx?tsr-split=component`;

interface Page {
  /** The dynamically imported modules of each page, relative to `src`. */
  modules: readonly string[];
  texts: readonly Area[];
  /** Modules whose dynamic imports are part of the page. */
  follow?: RegExp;
}

const start = ["main.tsx"];
const application = [...start, "app/app-root.tsx", "app/pages.tsx"];
const signedIn = [...application, route("index"), "app/signed-in.tsx"];
const operator = [
  ...start,
  "app/app-root.tsx",
  "app/operator-start.tsx",
  "app/signed-in.tsx",
  "features/operator/operator-page.tsx",
  "features/operator/send/outbox-keeper.tsx",
];

/** The files that a page loads before it is usable, which the service worker caches. */
const pages = {
  "sign-in": {
    modules: [...start, "app/sign-in.tsx"],
    texts: ["shared", "visitor"],
  },
  "operator page": { modules: operator, texts: ["shared", "person", "operator"] },
  dashboard: {
    modules: [
      ...signedIn,
      "api/grpc-web.tsx",
      "routes/-manager-home.tsx",
      "routes/-home-prefetch.ts",
    ],
    texts: ["shared", "person", "home"],
  },
  support: {
    modules: [...signedIn, "api/grpc-web.tsx"],
    texts: ["shared", "visitor", "support"],
  },
  /** All paths that an operator can open, and the pages after a logout or the end of a session. */
  "operator offline": {
    modules: [
      ...operator,
      "app/pages.tsx",
      ...["index", "_operator", "_operator/operator", "_operator/simple-operator"].map(route),
      ...["_person", "_person/profile", "_person/notifications"].map(route),
      ...["_guest", "_guest/employee-login"].map(route),
      "features/auth/session-ended.tsx",
      "features/operator/later-parts.ts",
      "features/operator/offline-data/live-sync.tsx",
      "shared/toast/toaster.tsx",
      "app/visitor-home.tsx",
      "app/offline-code.ts",
      "app/operator-bell.tsx",
      "app/phone-code.tsx",
      "session/save-language.ts",
    ],
    texts: [
      "shared",
      "person",
      "operator",
      "notifications",
      "phone",
      "visitor",
      "landing",
      "refusals",
    ],
    follow: /\/src\/(features\/(operator|profile)\/|shared\/|app\/(header|nav-menus))/,
  },
} as const satisfies Record<string, Page>;

/** The home page of an audience, by the value of the `known` cookie. */
const homes = { operator: "operator page", manager: "dashboard" } as const;

/**
 * Writes the files of each page, with the texts of all languages, to `.vite/page-files.json`, and
 * the documents, which load these files in parallel with the entry. The gateway chooses the document:
 * `sign-in.html` at the sign-in addresses, and at `/` the home page of the last audience in its
 * language.
 */
export function writePageFiles(): Plugin {
  return {
    name: "write-page-files",
    applyToEnvironment: ({ name }) => name === "client",
    generateBundle: {
      order: "post",
      handler(_, bundle) {
        const emit = (fileName: string, content: string) =>
          this.emitFile({ type: "asset", fileName, source: content });
        const lists = Object.entries(pages).map(([name, page]) => [
          name,
          filesOf(this, bundle, page),
        ]);
        emit(".vite/page-files.json", JSON.stringify(Object.fromEntries(lists), null, 2));
        const index = bundle["index.html"];
        if (index?.type !== "asset") throw new Error("the build has no index.html");
        const html = String(index.source);
        const documentOf = (modules: readonly string[]) =>
          withFiles(html, filesOfModules(bundle, modules));
        emit(
          "sign-in.html",
          documentOf(["app/sign-in.tsx"]).replace("<html", '<html data-page="sign-in"'),
        );
        const application = documentOf(["app/app-root.tsx"]);
        for (const [audience, page] of Object.entries(homes)) {
          const files = filesOf(this, bundle, pages[page]).filter((file) => file.endsWith(".js"));
          for (const language of languages) {
            const own = files.filter(
              (file) => (/\/texts-\w+-(\w\w)-/.exec(file)?.[1] ?? language) === language,
            );
            emit(`${audience}-${language}.html`, withFiles(application, own));
          }
        }
        index.source = documentOf(["app/app-root.tsx", "app/pages.tsx"]);
      },
    },
  };
}

const filesOfModules = (bundle: Rolldown.OutputBundle, modules: readonly string[]) =>
  modules
    .flatMap((module) => chunksOf(bundle, source + module))
    .flatMap(({ fileName, viteMetadata }) => [fileName, ...(viteMetadata?.importedCss ?? [])]);

/**
 * Adds the files that the document does not have. Styles and the entry, which requests the session,
 * load before other code.
 */
function withFiles(html: string, files: readonly string[]): string {
  const more = [...new Set(files)].filter((file) => !html.includes(file));
  const links = (end: string, attributes: string) =>
    more
      .filter((file) => file.endsWith(end))
      .map((file) => `<link ${attributes} crossorigin href="/${file}">\n    `)
      .join("");
  return html
    .replace("<script", `${links(".css", 'rel="stylesheet"')}<script`)
    .replace("</head>", `${links(".js", 'rel="modulepreload" fetchpriority="low"')}</head>`);
}

const moduleName = "virtual:page-files";

/** Gives the service worker the files of each page. The application is built first. */
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
  graph: Rolldown.PluginContext,
  bundle: Rolldown.OutputBundle,
  { modules, texts, follow }: Page,
): string[] {
  const files = new Set<string>();
  const seen = new Set<string>();
  const visit = (id: string) => {
    if (seen.has(id)) return;
    seen.add(id);
    const found = graph.getModuleInfo(id);
    if (!found) return;
    for (const next of found.importedIds) visit(next);
    if (follow?.test(id)) for (const next of found.dynamicallyImportedIds) add(next);
  };
  const add = (id: string) => {
    for (const { fileName, viteMetadata } of chunksOf(bundle, id)) {
      files.add(fileName);
      for (const style of viteMetadata?.importedCss ?? []) files.add(style);
    }
    visit(id);
  };
  for (const name of modules) {
    const id = source + name;
    if (!graph.getModuleInfo(id)) throw new Error(`the build has no ${name}`);
    add(id);
  }
  for (const language of languages) {
    for (const area of texts) add(`${source}i18n/texts/texts-${area}-${language}.ts`);
  }
  return [...files].toSorted();
}

/** The chunk of a module and its static imports. */
function chunksOf(bundle: Rolldown.OutputBundle, id: string): Rolldown.OutputChunk[] {
  const chunks = Object.values(bundle).filter((output) => output.type === "chunk");
  const found = new Set<Rolldown.OutputChunk>();
  const add = (chunk: Rolldown.OutputChunk | undefined) => {
    if (!chunk || found.has(chunk)) return;
    found.add(chunk);
    for (const name of chunk.imports) add(chunks.find(({ fileName }) => fileName === name));
  };
  add(chunks.find(({ moduleIds }) => moduleIds.includes(id)));
  return [...found];
}

/** First pages, and the application without one. */
const firstPages = [
  ["sign-in", pages["sign-in"].modules],
  ["app", application],
  ["operator", pages["operator page"].modules],
  ["dashboard", pages.dashboard.modules],
] as const;

/** What the dashboard of a new company loads next. */
const dashboardNext = [
  "features/first-steps/first-steps.tsx",
  "features/first-steps/use-steps.ts",
  "features/updates/pending-badge.tsx",
  "app/manager-part.tsx",
];

const icons = /\/lucide-react\/.*\/icons\//;
const api = /\/src\/(api|domain)\/|\/@(bufbuild|connectrpc)\//;

/** Form fields, but those that need code of a first page that visitors do not load. */
const fields = /\/src\/shared\/form\/fields\/(?!number|select)/;

const chunkNames = new Map<string, string>();

/**
 * Names the chunk of a module by the first pages that need it, so that a page loads few files and
 * no unused code. Returns null for modules that get a chunk of their own.
 */
export const chunkByPages = (id: string): string | null => chunkNames.get(id) ?? null;

/** Finds the modules of the first pages in a build that writes no files and defines no chunks. */
export function surveyPages(): Plugin {
  return {
    name: "survey-pages",
    applyToEnvironment: ({ name }) => name === "survey",
    generateBundle(_, bundle) {
      const modulesOf = (roots: readonly string[]) =>
        new Set(
          roots.flatMap((root) =>
            chunksOf(bundle, source + root).flatMap(({ moduleIds }) => moduleIds),
          ),
        );
      // Code that loads after the operator page must not include another page's code.
      const behind = modulesOf(["features/operator/later-parts.ts"]);
      // Operators load these modules later, without the dashboard's code.
      const offline = modulesOf(pages["operator offline"].modules);
      const needs = firstPages.map(([name, roots]) => ({ name, modules: modulesOf(roots) }));
      for (const id of new Set(needs.flatMap(({ modules }) => [...modules]))) {
        const needed = needs
          .filter(({ name, modules }) => modules.has(id) || (name === "operator" && behind.has(id)))
          .map(({ name }) => name);
        // The sign-in page and the dashboard need them, and operators load them too.
        const isCommon = needed.includes("sign-in") && needed.includes("dashboard");
        const name = isCommon ? "start" : needed.join("-");
        chunkNames.set(id, name === "dashboard" && offline.has(id) ? "dashboard-offline" : name);
      }
      // Five files for the many small modules of other pages and of what a new company's dashboard
      // loads after its first paint. None of them has side effects.
      const next = modulesOf(dashboardNext);
      for (const id of this.getModuleIds()) {
        if (chunkNames.has(id)) continue;
        if (icons.test(id)) chunkNames.set(id, "icons");
        else if (fields.test(id)) chunkNames.set(id, "fields");
        else if (api.test(id) && next.has(id)) chunkNames.set(id, "api");
        else if (next.has(id))
          chunkNames.set(id, offline.has(id) ? "dashboard-next-offline" : "dashboard-next");
      }
      // The application shares the other code of the sign-in page, but must not load its styles.
      for (const own of ["app/sign-in.tsx", "styles/sign-in.css"]) chunkNames.delete(source + own);
    },
  };
}
