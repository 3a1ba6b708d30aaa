/** The prefix tells our caches from others on this origin. */
const prefix = "hourmeter-";
export const shellCache = `${prefix}shell-1`;
export const assetCache = `${prefix}assets-1`;

/** The application; cached under this address for every path. */
const applicationPath = "/index.html";
/** The landing page is cached under its own address, for visitors only. */
const landingPath = "/";

/** Files with a fixed name; the cached copy is used only if the network fails. */
const fixedFiles: ReadonlySet<string> = new Set([
  "/theme-init.js",
  "/reload-guard.js",
  "/icon.svg",
  "/manifest.webmanifest",
]);

/** More files than one release has; the oldest are deleted. */
const maxAssets = 250;

export type Strategy = "page" | "file" | "asset" | "network";

interface Asked {
  method: string;
  url: string;
  mode: string;
}

/** How to respond to a request. Requests for company data are passed to the network. */
export function strategyFor({ method, url, mode }: Asked, origin: string): Strategy {
  const { origin: requested, pathname } = new URL(url);
  if (method !== "GET" || requested !== origin || isService(pathname)) return "network";
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

/**
 * Whether a response may be cached: successful, from this origin, and no HTML page under /assets/.
 */
export function isCacheable(answer: Pick<Response, "status" | "type" | "headers">): boolean {
  const content = answer.headers.get("content-type") ?? "";
  return answer.status === 200 && answer.type === "basic" && !content.startsWith("text/html");
}

export function isShell(answer: Pick<Response, "status" | "redirected" | "headers">): boolean {
  const content = answer.headers.get("content-type") ?? "";
  return answer.status === 200 && !answer.redirected && content.startsWith("text/html");
}

/** A server failure, for which the cached page is shown. */
export function isOutage(status: number): boolean {
  return status >= 500;
}

/** Caches of earlier versions of these rules. */
export function outdatedCaches(names: readonly string[]): string[] {
  return names.filter(
    (name) => name.startsWith(prefix) && name !== shellCache && name !== assetCache,
  );
}

/**
 * The files that the page references: scripts, styles, fonts and icons. Pictures are left out,
 * because it shows only some.
 */
export function filesOf(page: string): string[] {
  const named = page.matchAll(/\b(?:src|href)="(?<path>\/[^"]*(?<!\.webp))"/g);
  return [...new Set([...named].map((match) => match.groups?.path ?? ""))].filter(isStatic);
}

export interface PageFiles {
  "sign-in": readonly string[];
  "operator offline": readonly string[];
  dashboard: readonly string[];
  support: readonly string[];
}

export interface CachePlan {
  /** The page's source, and the path under which it is cached. */
  source: string;
  path: string;
  /** Paths of the files that the page does not reference. */
  files: string[];
  /** Paths of cached pages to delete. */
  replaces: string[];
}

/** What to cache for the user of an open page, by the page's message; null for other messages. */
export function cachePlanFor(message: unknown, pages: PageFiles, origin: string): CachePlan | null {
  if (typeof message !== "object" || message === null) return null;
  if (!("audience" in message) || !("language" in message)) return null;
  const { audience, language } = message;
  if (language !== "en" && language !== "es") return null;
  if (audience === "visitor") {
    const pictures = "pictures" in message ? cacheablePaths(message.pictures, origin) : [];
    const source = `/landing-${language}.html`;
    return { source, path: landingPath, files: pictures, replaces: [] };
  }
  const files = filesFor(audience, pages);
  if (!files) return null;
  // Crews share phones, also without signal, so both languages are cached.
  const wanted = audience === "operator" ? files : files.filter(withTextsOf(language));
  return {
    source: applicationPath,
    path: applicationPath,
    files: wanted.map((file) => `/${file}`),
    // After a sign-in the application opens at every path.
    replaces: audience === "guest" ? [] : [landingPath],
  };
}

function cacheablePaths(addresses: unknown, origin: string): string[] {
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

/** Cached pages for a path without a connection, the best one first. */
export function pagesFor(path: string): string[] {
  return path === landingPath ? [landingPath, applicationPath] : [applicationPath];
}

function isStatic(pathname: string): boolean {
  return pathname.startsWith("/assets/") || fixedFiles.has(pathname);
}

/**
 * The oldest entries above the limit; the cache lists them by age. Files of the current page are
 * never included.
 */
export function surplus<Entry>(
  entries: readonly Entry[],
  isInUse: (entry: Entry) => boolean,
): Entry[] {
  const unused = entries.filter((entry) => !isInUse(entry));
  return unused.slice(0, Math.max(0, entries.length - maxAssets));
}

interface Pushed {
  title?: unknown;
  body?: unknown;
  url?: unknown;
  tag?: unknown;
}

/** What a pushed message shows. Browsers require a notification for each, also a malformed one. */
export function notificationFor(payload: string | undefined) {
  const { title, body, url, tag } = parsePushed(payload);
  return {
    title: typeof title === "string" && title ? title : "Hourmeter",
    options: {
      ...(typeof body === "string" && { body }),
      ...(typeof tag === "string" && { tag }),
      icon: "/icon-192.png",
      data: { url },
    },
  };
}

function parsePushed(payload = ""): Pushed {
  try {
    const pushed: unknown = JSON.parse(payload);
    return typeof pushed === "object" && pushed !== null ? pushed : {};
  } catch {
    return {};
  }
}

/**
 * The address that a pressed notification opens: the path in its data, on this origin only. The
 * origin is compared as well, because browsers read `/\host` as another host.
 */
export function addressIn(data: unknown, origin: string): string {
  const path = typeof data === "object" && data !== null && "url" in data ? data.url : null;
  const isPath = typeof path === "string" && /^\/(?!\/)/.test(path) && URL.canParse(path, origin);
  const url = isPath ? new URL(path, origin) : null;
  return url?.origin === origin ? url.href : new URL("/notifications", origin).href;
}
