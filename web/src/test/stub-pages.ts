import { vi } from "vitest";

interface Page {
  status?: number;
  body: unknown;
  nextCursor?: string;
}

/** Responds to GETs of one path with any query; other calls use the previous stub. */
export function stubPages(path: string, answer: (query: URLSearchParams) => Page): string[] {
  const asked: string[] = [];
  const before = globalThis.fetch;
  vi.stubGlobal("fetch", (address: string, init: RequestInit = {}) => {
    const url = new URL(address, "http://localhost");
    if (url.pathname !== path || (init.method ?? "GET") !== "GET") return before(address, init);
    asked.push(decodeURIComponent(url.search));
    const { status = 200, body, nextCursor } = answer(url.searchParams);
    const headers = nextCursor ? { "X-Next-Cursor": nextCursor } : {};
    return Promise.resolve(new Response(JSON.stringify(body), { status, headers }));
  });
  return asked;
}
