import type { Audience } from "#/domain/permissions";
import { isSafariType } from "./safari";

/**
 * Operators work without signal, so their service worker runs in every browser. Other audiences do
 * without it on Safari.
 */
export function wantsServiceWorker(audience: Audience | "visitor", userAgent: string): boolean {
  return audience === "operator" || !isSafariType(userAgent);
}

/**
 * Registers /sw.js after the page has loaded, and makes it cache what the audience needs offline.
 * "visitor" is the prerendered landing page. Returns a function that cancels it.
 */
export function registerServiceWorker(audience: Audience | "visitor"): () => void {
  // The development server renames its files at every change, so only built ones are cached.
  if (!import.meta.env.PROD || !("serviceWorker" in navigator)) return () => undefined;
  if (!wantsServiceWorker(audience, navigator.userAgent)) return () => undefined;
  const cancelled = new AbortController();
  const { signal } = cancelled;
  const act = () => void register(audience, signal);
  if (document.readyState === "complete") {
    const timer = setTimeout(act, 1000);
    signal.addEventListener("abort", () => clearTimeout(timer));
  } else {
    window.addEventListener("load", act, { once: true, signal });
  }
  return () => cancelled.abort();
}

async function register(audience: Audience | "visitor", signal: AbortSignal): Promise<void> {
  const { serviceWorker } = navigator;
  const sendPage = (worker: ServiceWorker | null) =>
    worker?.postMessage({
      audience,
      language: document.documentElement.lang,
      pictures: Array.from(document.images, ({ currentSrc, src }) => currentSrc || src),
    });
  try {
    await serviceWorker.register("/sw.js");
    const { active } = await serviceWorker.ready;
    if (signal.aborted) return;
    sendPage(active);
    // The worker of a newer release has another list of files.
    serviceWorker.addEventListener("controllerchange", () => sendPage(serviceWorker.controller), {
      signal,
    });
  } catch (error) {
    // Without it, the product works except for a start without a connection.
    console.warn("The service worker could not be registered", error);
  }
}
