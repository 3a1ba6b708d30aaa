/** Names begin alike, so that old ones can be told from what others keep on this origin. */
const prefix = "hourmeter-";
export const shellCache = `${prefix}shell-1`;
export const assetCache = `${prefix}assets-1`;

/** The application; kept under this address for every path. */
const applicationPath = "/index.html";
/** The landing page is kept under its own address, for visitors only. */
const landingPath = "/";

/** Files beside the page whose names stay the same, so a kept one is only for want of a new one. */
const fixedFiles: ReadonlySet<string> = new Set([
  "/theme-init.js",
  "/reload-guard.js",
  "/icon.svg",
  "/manifest.webmanifest",
]);

/** More than one release has of them; the oldest go. */
const keptAssets = 250;

export type Strategy = "page" | "file" | "asset" | "network";

interface Asked {
  method: string;
  url: string;
  mode: string;
}

/** How a request is answered. Whatever may hold a company's data goes to the network untouched. */
export function strategyFor({ method, url, mode }: Asked, origin: string): Strategy {
  const { origin: asked, pathname } = new URL(url);
  if (method !== "GET" || asked !== origin || isService(pathname)) return "network";
  if (pathname.startsWith("/assets/")) return "asset";
  if (fixedFiles.has(pathname)) return "file";
  return mode === "navigate" && !pathname.includes(".") ? "page" : "network";
}

function isService(pathname: string): boolean {
  return (
    pathname === "/api" ||
    pathname.startsWith("/api/") ||
    pathname.startsWith("/hourmeter.") ||
    pathname === "/sw.js"
  );
}

/** Whether an answer may be kept: a whole one of ours, and under /assets/ never a page. */
export function isKeepable(answer: Pick<Response, "status" | "type" | "headers">): boolean {
  const content = answer.headers.get("content-type") ?? "";
  return answer.status === 200 && answer.type === "basic" && !content.startsWith("text/html");
}

export function isShell(answer: Pick<Response, "status" | "redirected" | "headers">): boolean {
  const content = answer.headers.get("content-type") ?? "";
  return answer.status === 200 && !answer.redirected && content.startsWith("text/html");
}

/** The server's own trouble, not its answer: the page kept from last time serves better. */
export function isOutage(status: number): boolean {
  return status >= 500;
}

/** Caches of earlier versions of these rules. */
export function outdatedCaches(names: readonly string[]): string[] {
  return names.filter(
    (name) => name.startsWith(prefix) && name !== shellCache && name !== assetCache,
  );
}

/** What the page itself names: scripts, styles, fonts and icons. It shows some of its pictures only. */
export function filesOf(page: string): string[] {
  const named = page.matchAll(/\b(?:src|href)="(?<path>\/[^"]*(?<!\.webp))"/g);
  return [...new Set([...named].map((match) => match.groups?.path ?? ""))].filter(isStatic);
}

/** The lists of files from the build. */
export interface PageFiles {
  "sign-in": readonly string[];
  "operator offline": readonly string[];
  dashboard: readonly string[];
  support: readonly string[];
}

export interface Kept {
  /** Where the page is loaded from, and the path under which it is kept. */
  source: string;
  path: string;
  /** Paths of the files beyond those that the page names. */
  files: string[];
  /** Paths of kept pages that are deleted. */
  replaces: string[];
}

/** What is kept for the person who has a page open, by the page's message; null for other messages. */
export function keptFor(message: unknown, pages: PageFiles, origin: string): Kept | null {
  if (typeof message !== "object" || message === null) return null;
  if (!("audience" in message) || !("language" in message)) return null;
  const { audience, language } = message;
  if (language !== "en" && language !== "es") return null;
  if (audience === "visitor") {
    const pictures = "pictures" in message ? keepablePaths(message.pictures, origin) : [];
    const source = `/landing-${language}.html`;
    return { source, path: landingPath, files: pictures, replaces: [] };
  }
  const files = filesFor(audience, pages);
  if (!files) return null;
  // A crew hands one phone around, also where there is no signal.
  const wanted = audience === "operator" ? files : files.filter(withTextsOf(language));
  return {
    source: applicationPath,
    path: applicationPath,
    files: wanted.map((file) => `/${file}`),
    // Where somebody has signed in, the application starts at every path.
    replaces: audience === "guest" ? [] : [landingPath],
  };
}

function keepablePaths(addresses: unknown, origin: string): string[] {
  if (!Array.isArray(addresses)) return [];
  return addresses.flatMap((address: unknown) => {
    if (typeof address !== "string" || !URL.canParse(address, origin)) return [];
    const url = new URL(address, origin);
    return url.origin === origin && isStatic(url.pathname) ? [url.pathname] : [];
  });
}

function filesFor(audience: unknown, pages: PageFiles): readonly string[] | null {
  switch (audience) {
    case "guest":
      return pages["sign-in"];
    case "operator":
      return pages["operator offline"];
    case "manager":
      return pages.dashboard;
    case "staff":
      return pages.support;
    default:
      return null;
  }
}

function withTextsOf(language: string): (file: string) => boolean {
  return (file) => {
    const [, found] = /\/texts-[a-z]+-(\w\w)-/.exec(file) ?? [];
    return found === undefined || found === language;
  };
}

/** Kept pages that answer for a path without a connection, the best one first. */
export function pagesFor(path: string): string[] {
  return path === landingPath ? [landingPath, applicationPath] : [applicationPath];
}

function isStatic(pathname: string): boolean {
  return pathname.startsWith("/assets/") || fixedFiles.has(pathname);
}

/**
 * Those that have been kept the longest, as far as there are too many; the cache lists them by age.
 * What a page of now is made of stays, however old it is.
 */
export function surplus<Entry>(
  entries: readonly Entry[],
  isInUse: (entry: Entry) => boolean,
): Entry[] {
  const unused = entries.filter((entry) => !isInUse(entry));
  return unused.slice(0, Math.max(0, entries.length - keptAssets));
}
