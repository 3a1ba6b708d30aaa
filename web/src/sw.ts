import { pageFiles } from "virtual:page-files";
import {
  assetCache,
  filesOf,
  isKeepable,
  isOutage,
  isShell,
  keptFor,
  outdatedCaches,
  pagesFor,
  shellCache,
  strategyFor,
  surplus,
} from "./app/service-worker/rules";

// Built to /sw.js. Keeps the page and its files for want of a connection, never an answer of the
// API: what a company wrote is on the server and in the pages that show it, nowhere else.

/** The parts of a worker's global scope used here; the DOM library has no types for them. */
interface ExtendableEvent extends Event {
  waitUntil(work: Promise<unknown>): void;
}
interface FetchEvent extends ExtendableEvent {
  readonly request: Request;
  respondWith(answer: Promise<Response>): void;
}
interface WorkerScope {
  readonly location: Location;
  readonly clients: { claim(): Promise<void> };
  skipWaiting(): Promise<void>;
  addEventListener(type: "install" | "activate", act: (event: ExtendableEvent) => void): void;
  addEventListener(type: "fetch", act: (event: FetchEvent) => void): void;
  addEventListener(
    type: "message",
    act: (event: ExtendableEvent & { readonly data: unknown }) => void,
  ): void;
}
declare const self: WorkerScope;

/** With a weak signal the kept page is better than a longer wait for the newest. */
const patience = 4000;

self.addEventListener("install", (event) => {
  event.waitUntil(self.skipWaiting());
});

self.addEventListener("activate", (event) => {
  event.waitUntil(dropOutdated().then(() => self.clients.claim()));
});

// A page that has loaded sends who uses it.
self.addEventListener("message", (event) => {
  event.waitUntil(keep(event.data));
});

self.addEventListener("fetch", (event) => {
  const { request } = event;
  switch (strategyFor(request, self.location.origin)) {
    case "page":
      event.respondWith(newestPage(request));
      return;
    case "file":
      event.respondWith(newestFile(request));
      return;
    case "asset":
      event.respondWith(keptAsset(request));
      return;
    case "network":
      return;
  }
});

async function newestPage(request: Request): Promise<Response> {
  const kept = await keptPage(new URL(request.url).pathname);
  if (!kept) return fetch(request);
  try {
    const answer = await inTime(fetch(request));
    return isOutage(answer.status) ? kept : answer;
  } catch {
    return kept;
  }
}

async function keptPage(path: string): Promise<Response | undefined> {
  const cache = await caches.open(shellCache);
  const found = await Promise.all(pagesFor(path).map((page) => cache.match(page)));
  return found.find((page) => page !== undefined);
}

async function newestFile(request: Request): Promise<Response> {
  const cache = await caches.open(shellCache);
  const kept = await cache.match(request);
  if (!kept) return fetch(request);
  try {
    const answer = await inTime(fetch(request));
    return answer.ok ? answer : kept;
  } catch {
    return kept;
  }
}

async function keptAsset(request: Request): Promise<Response> {
  const cache = await caches.open(assetCache);
  const kept = await cache.match(request, { ignoreVary: true });
  if (kept) return kept;
  const answer = await fetch(request);
  if (isKeepable(answer)) await cache.put(request, answer.clone()).catch(() => undefined);
  return answer;
}

/** Keeps the newest page of the device's user, with its files. */
async function keep(message: unknown): Promise<void> {
  const kept = keptFor(message, pageFiles, self.location.origin);
  if (!kept) return;
  const page = await fetch(kept.source, { cache: "no-cache", credentials: "omit" });
  if (!isShell(page)) return;
  const text = await page.clone().text();
  const paths = [...new Set([...filesOf(text), ...kept.files])];
  // The page last: it must never be kept without its files.
  await Promise.all(paths.map(keepFile));
  const cache = await caches.open(shellCache);
  await cache.put(kept.path, page);
  await Promise.all(kept.replaces.map((path) => cache.delete(path)));
  await dropSurplus(new Set(paths));
}

async function keepFile(path: string): Promise<void> {
  const isAsset = path.startsWith("/assets/");
  const cache = await caches.open(isAsset ? assetCache : shellCache);
  if (isAsset && (await cache.match(path, { ignoreVary: true }))) return;
  const answer = await fetch(path, isAsset ? {} : { cache: "no-cache" });
  if (isKeepable(answer)) await cache.put(path, answer);
}

async function dropSurplus(inUse: ReadonlySet<string>): Promise<void> {
  const cache = await caches.open(assetCache);
  const isInUse = ({ url }: Request) => inUse.has(new URL(url).pathname);
  await Promise.all(surplus(await cache.keys(), isInUse).map((entry) => cache.delete(entry)));
}

async function dropOutdated(): Promise<void> {
  await Promise.all(outdatedCaches(await caches.keys()).map((name) => caches.delete(name)));
}

function inTime(answer: Promise<Response>): Promise<Response> {
  return Promise.race([
    answer,
    new Promise<never>((_, reject) => {
      setTimeout(() => reject(new Error("no answer in time")), patience);
    }),
  ]);
}
