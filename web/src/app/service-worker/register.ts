import type { Audience } from "#/domain/permissions";
import { isSafariType } from "./safari";

/**
 * Operators capture where there is no signal, so theirs works in every browser; all others do
 * without on Safari-type ones (decisions, "Service worker").
 */
export function wantsServiceWorker(audience: Audience | "visitor", userAgent: string): boolean {
  return audience === "operator" || !isSafariType(userAgent);
}

/**
 * Registers /sw.js once the page has loaded, and lets it keep what the audience needs without a
 * connection. "visitor" is the prerendered landing page. Returns how to call that off.
 */
export function registerServiceWorker(audience: Audience | "visitor"): () => void {
  // The development server renames its files at every change; only built ones can be kept.
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
  const keep = (worker: ServiceWorker | null) =>
    worker?.postMessage({
      audience,
      language: document.documentElement.lang,
      pictures: Array.from(document.images, ({ currentSrc, src }) => currentSrc || src),
    });
  try {
    await serviceWorker.register("/sw.js");
    const { active } = await serviceWorker.ready;
    if (signal.aborted) return;
    keep(active);
    // A worker of a newer release knows other files.
    serviceWorker.addEventListener("controllerchange", () => keep(serviceWorker.controller), {
      signal,
    });
  } catch (error) {
    // The product works without; only a start without connection does not.
    console.warn("The service worker could not be registered", error);
  }
}
