/** An allowed destination: a page of this site or of the payment provider. */
export type ProviderPlace = { path: string } | { href: string };

type Page = "checkout" | "portal";

const hosts: Record<Page, string> = {
  checkout: "checkout.stripe.com",
  portal: "billing.stripe.com",
};

// Another allowed host for tests; set at build time, empty in production.
const configured: unknown = import.meta.env.VITE_CHECKOUT_HOST;
const testHost = typeof configured === "string" && configured.trim() ? configured.trim() : null;

/**
 * Parses the URL of a response; null if it leads to an unexpected host. It is parsed by the
 * browser's own rules, because the browser's interpretation counts.
 */
export function providerPlace(
  answer: string,
  page: Page,
  allowedTestHost: string | null = testHost,
): ProviderPlace | null {
  const own = window.location.origin;
  if (!URL.canParse(answer, own)) return null;
  const url = new URL(answer, own);
  if (answer.startsWith("/")) {
    const path = url.pathname + url.search + url.hash;
    return url.origin === own && /^\/(?![/\\])/.test(answer) && !path.startsWith("//")
      ? { path }
      : null;
  }
  if (url.username || url.password) return null;
  if (url.protocol === "https:" && url.host === hosts[page]) return { href: url.href };
  const test = allowedTestHost !== null && url.host === allowedTestHost;
  return test && /^https?:$/.test(url.protocol) ? { href: url.href } : null;
}
