import type { BrowserContext, Page } from "@playwright/test";

/** The storage locations that scripts can read, with their contents. */
export type StoredData = Record<
  "local" | "session" | "cookies" | "databases" | "caches" | "queries",
  string
>;

/** All data that the page's scripts could read: the browser's storage and the client's caches. */
export function storedData(page: Page): Promise<StoredData> {
  return page.evaluate(readEverything);
}

/** The locations of these secrets, as `place: secret`; must be empty. */
export async function leaks(page: Page, secrets: readonly string[]): Promise<string[]> {
  const places = Object.entries(await storedData(page));
  return places.flatMap(([place, text]) =>
    secrets.filter((secret) => text.includes(secret)).map((secret) => `${place}: ${secret}`),
  );
}

/** The session cookie, if any; cookies that scripts may read contain no secret. */
export async function sessionCookies(context: BrowserContext) {
  return (await context.cookies()).filter(({ httpOnly }) => httpOnly);
}

/** The current value of the session cookie. */
export async function tokens(context: BrowserContext): Promise<string[]> {
  return (await sessionCookies(context)).map((cookie) => cookie.value);
}

/** Runs in the page. */
async function readEverything(): Promise<StoredData> {
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

  /** The query client is part of React's tree, where any script of the page finds it. */
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
