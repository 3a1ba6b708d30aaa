import type { BrowserContext, Page } from "@playwright/test";

/** Where the page keeps things that scripts can read, and what stands there. */
export type Kept = Record<
  "local" | "session" | "cookies" | "databases" | "caches" | "queries",
  string
>;

/** All that scripts of the page could read: the browser's storage, and what the client caches. */
export function kept(page: Page): Promise<Kept> {
  return page.evaluate(readEverything);
}

/** Where the page keeps one of these, as `place: secret`; to be empty. */
export async function leaks(page: Page, secrets: readonly string[]): Promise<string[]> {
  const places = Object.entries(await kept(page));
  return places.flatMap(([place, text]) =>
    secrets.filter((secret) => text.includes(secret)).map((secret) => `${place}: ${secret}`),
  );
}

/** The session's cookie, where there is one; those that scripts may read hold no secret. */
export async function sessionCookies(context: BrowserContext) {
  return (await context.cookies()).filter(({ httpOnly }) => httpOnly);
}

/** What the session's cookie says at the moment. */
export async function tokens(context: BrowserContext): Promise<string[]> {
  return (await sessionCookies(context)).map((cookie) => cookie.value);
}

/** Runs in the page. */
async function readEverything(): Promise<Kept> {
  const request = <T>(asked: IDBRequest<T>) =>
    new Promise<T>((resolve, reject) => {
      asked.addEventListener("success", () => resolve(asked.result));
      asked.addEventListener("error", () => reject(new Error("the database can't be read")));
    });
  const databases: unknown[] = [];
  for (const { name } of await indexedDB.databases()) {
    if (!name) continue;
    const database = await request(indexedDB.open(name));
    for (const store of database.objectStoreNames) {
      databases.push(await request(database.transaction(store).objectStore(store).getAll()));
    }
    database.close();
  }
  const files: string[] = [];
  for (const name of await caches.keys()) {
    const cache = await caches.open(name);
    for (const asked of await cache.keys()) {
      const answer = await cache.match(asked);
      files.push(asked.url, JSON.stringify([...asked.headers]), (await answer?.text()) ?? "");
    }
  }
  return {
    local: JSON.stringify(Object.entries(localStorage)),
    session: JSON.stringify(Object.entries(sessionStorage)),
    cookies: document.cookie,
    databases: JSON.stringify(databases),
    caches: files.join("\n"),
    queries: readClient(),
  };

  /** The query client hangs in React's own tree, where any script of the page finds it too. */
  function readClient(): string {
    interface Cache {
      getAll(): Array<{ queryKey?: unknown; state: unknown }>;
    }
    interface Client {
      getQueryCache(): Cache;
      getMutationCache(): Cache;
    }
    interface Fiber {
      memoizedProps?: { client?: Partial<Client> } | null;
      child?: Fiber | null;
      sibling?: Fiber | null;
      stateNode?: { current?: Fiber } | null;
    }
    const root: object | null = document.getElementById("root");
    const entry = Object.entries(root ?? {}).find(([key]) => key.startsWith("__reactContainer$"));
    const first: Fiber | undefined = entry?.[1];
    const waiting = [first?.stateNode?.current];
    const plain = (_: string, value: unknown) =>
      typeof value === "bigint" ? String(value) : value;
    while (waiting.length > 0) {
      const fiber = waiting.pop();
      const client = fiber?.memoizedProps?.client;
      if (client?.getQueryCache && client.getMutationCache) {
        const all = [...client.getQueryCache().getAll(), ...client.getMutationCache().getAll()];
        return JSON.stringify(
          all.map(({ queryKey, state }) => [queryKey, state]),
          plain,
        );
      }
      if (fiber?.child) waiting.push(fiber.child);
      if (fiber?.sibling) waiting.push(fiber.sibling);
    }
    throw new Error("no query client found in the page");
  }
}
