import { pageFiles } from "virtual:page-files";
import {
  addressIn,
  assetCache,
  filesOf,
  isCacheable,
  isOutage,
  isShell,
  cachePlanFor,
  notificationFor,
  outdatedCaches,
  pagesFor,
  shellCache,
  strategyFor,
  surplus,
} from "./app/service-worker/rules";

// Built to /sw.js. Caches the page and its files for offline use, never a response of the API, and
// shows pushed notifications.

/** The parts of a worker's global scope used here; the DOM library has no types for them. */
interface ExtendableEvent extends Event {
  waitUntil(work: Promise<unknown>): void;
}
interface FetchEvent extends ExtendableEvent {
  readonly request: Request;
  respondWith(answer: Promise<Response>): void;
}
interface WindowClient {
  readonly url: string;
  focus(): Promise<WindowClient>;
  navigate(url: string): Promise<WindowClient | null>;
}
interface WorkerScope {
  readonly location: Location;
  readonly registration: ServiceWorkerRegistration;
  readonly clients: {
    claim(): Promise<void>;
    matchAll(query: { type: "window"; includeUncontrolled: true }): Promise<WindowClient[]>;
    openWindow(url: string): Promise<WindowClient | null>;
  };
  skipWaiting(): Promise<void>;
  addEventListener(type: "install" | "activate", act: (event: ExtendableEvent) => void): void;
  addEventListener(type: "fetch", act: (event: FetchEvent) => void): void;
  addEventListener(
    type: "message",
    act: (event: ExtendableEvent & { readonly data: unknown }) => void,
  ): void;
  addEventListener(
    type: "push",
    act: (event: ExtendableEvent & { readonly data: { text(): string } | null }) => void,
  ): void;
  addEventListener(
    type: "notificationclick",
    act: (event: ExtendableEvent & { readonly notification: Notification }) => void,
  ): void;
}
declare const self: WorkerScope;

/** On a slow connection the cached page is better than a longer wait. */
const timeoutMs = 4000;

self.addEventListener("install", (event) => {
  event.waitUntil(self.skipWaiting());
});

self.addEventListener("activate", (event) => {
  event.waitUntil(deleteOutdated().then(() => self.clients.claim()));
});

// A loaded page sends its user's audience.
self.addEventListener("message", (event) => {
  event.waitUntil(updateCache(event.data));
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
      event.respondWith(cachedAsset(request));
      return;
    case "network":
      return;
  }
});

self.addEventListener("push", (event) => {
  const { title, options } = notificationFor(event.data?.text());
  event.waitUntil(self.registration.showNotification(title, options));
});

self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  event.waitUntil(openPage(addressIn(event.notification.data, self.location.origin)));
});

/** Shows the address in the window that was used last, or in a new one. */
async function openPage(address: string): Promise<void> {
  const [window] = await self.clients.matchAll({ type: "window", includeUncontrolled: true });
  try {
    const shown = window?.url === address ? window : await window?.navigate(address);
    if (shown) {
      await shown.focus();
      return;
    }
  } catch {
    // A page without this worker can't be navigated.
  }
  await self.clients.openWindow(address);
}

async function newestPage(request: Request): Promise<Response> {
  const cached = await cachedPage(new URL(request.url).pathname);
  if (!cached) return fetch(request);
  try {
    const answer = await withTimeout(fetch(request));
    return isOutage(answer.status) ? cached : answer;
  } catch {
    return cached;
  }
}

async function cachedPage(path: string): Promise<Response | undefined> {
  const cache = await caches.open(shellCache);
  const found = await Promise.all(pagesFor(path).map((page) => cache.match(page)));
  return found.find((page) => page !== undefined);
}

async function newestFile(request: Request): Promise<Response> {
  const cache = await caches.open(shellCache);
  const cached = await cache.match(request);
  if (!cached) return fetch(request);
  try {
    const answer = await withTimeout(fetch(request));
    return answer.ok ? answer : cached;
  } catch {
    return cached;
  }
}

async function cachedAsset(request: Request): Promise<Response> {
  const cache = await caches.open(assetCache);
  const cached = await cache.match(request, { ignoreVary: true });
  if (cached) return cached;
  const answer = await fetch(request);
  if (isCacheable(answer)) await cache.put(request, answer.clone()).catch(() => undefined);
  return answer;
}

/** Caches the newest page of the device's user with its files. */
async function updateCache(message: unknown): Promise<void> {
  const plan = cachePlanFor(message, pageFiles, self.location.origin);
  if (!plan) return;
  const page = await fetch(plan.source, { cache: "no-cache", credentials: "omit" });
  if (!isShell(page)) return;
  const text = await page.clone().text();
  const paths = [...new Set([...filesOf(text), ...plan.files])];
  // The page is stored last: it must never be cached without its files.
  await Promise.all(paths.map(cacheFile));
  const cache = await caches.open(shellCache);
  await cache.put(plan.path, page);
  await Promise.all(plan.replaces.map((path) => cache.delete(path)));
  await deleteSurplus(new Set(paths));
}

async function cacheFile(path: string): Promise<void> {
  const isAsset = path.startsWith("/assets/");
  const cache = await caches.open(isAsset ? assetCache : shellCache);
  if (isAsset && (await cache.match(path, { ignoreVary: true }))) return;
  const answer = await fetch(path, isAsset ? {} : { cache: "no-cache" });
  if (isCacheable(answer)) await cache.put(path, answer);
}

async function deleteSurplus(inUse: ReadonlySet<string>): Promise<void> {
  const cache = await caches.open(assetCache);
  const isInUse = ({ url }: Request) => inUse.has(new URL(url).pathname);
  await Promise.all(surplus(await cache.keys(), isInUse).map((entry) => cache.delete(entry)));
}

async function deleteOutdated(): Promise<void> {
  await Promise.all(outdatedCaches(await caches.keys()).map((name) => caches.delete(name)));
}

function withTimeout(answer: Promise<Response>): Promise<Response> {
  return Promise.race([
    answer,
    new Promise<never>((_, reject) => {
      setTimeout(() => reject(new Error("no answer in time")), timeoutMs);
    }),
  ]);
}
