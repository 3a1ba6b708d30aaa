import type { Audience } from "#/domain/permissions";
import { isSafariType } from "./safari";

/**
 * Operators capture where there is no signal, so theirs works in every browser; all others do
 * without on Safari-type ones (decisions, "Service worker").
 */
export function wantsServiceWorker(audience: Audience, userAgent: string): boolean {
  return audience === "operator" || !isSafariType(userAgent);
}

/**
 * Registers /sw.js once the page has loaded, for whom it is meant; `loadRest` loads what the worker
 * is to keep beyond what this page has needed. Returns how to call that off.
 */
export function registerServiceWorker(
  audience: Audience,
  loadRest: () => Promise<unknown> = () => Promise.resolve(),
): () => void {
  // The development server renames its files at every change; only built ones can be kept.
  if (!import.meta.env.PROD || !("serviceWorker" in navigator)) return () => undefined;
  if (!wantsServiceWorker(audience, navigator.userAgent)) return () => undefined;
  const act = () => void register(loadRest);
  if (document.readyState === "complete") {
    const timer = setTimeout(act, 1000);
    return () => clearTimeout(timer);
  }
  window.addEventListener("load", act, { once: true });
  return () => window.removeEventListener("load", act);
}

async function register(loadRest: () => Promise<unknown>): Promise<void> {
  try {
    await navigator.serviceWorker.register("/sw.js");
    const { active } = await navigator.serviceWorker.ready;
    await loadRest();
    active?.postMessage(performance.getEntriesByType("resource").map((entry) => entry.name));
  } catch (error) {
    // The product works without; only a start without connection does not.
    console.warn("The service worker could not be registered", error);
  }
}
