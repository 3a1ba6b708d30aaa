import { expect, type Page } from "@playwright/test";
import { test } from "./fixtures";
import { ready, report, stored, unsent } from "./field";
import { company, machine, operator, operatorIn, unique } from "./people";
import { words } from "./words";

const en = words("en");
const es = words("es");

/** Other tests block service workers. */
const worker = { serviceWorkers: "allow" } as const;

const safari =
  "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1";

/** Every call of register(), with the document's state at the time. */
function noteRegistrations(page: Page) {
  return page.addInitScript(() => {
    const container = navigator.serviceWorker;
    const register = container.register.bind(container);
    container.register = (address, options) => {
      const { dataset } = document.documentElement;
      dataset.registered = `${dataset.registered ?? ""}${String(address)} ${document.readyState};`;
      return register(address, options);
    };
  });
}

const registered = (page: Page) => page.locator("html").getAttribute("data-registered");

/** Paths of all cached files. */
function cached(page: Page): Promise<string[]> {
  return page.evaluate(async () => {
    const found: string[] = [];
    for (const name of await caches.keys()) {
      for (const asked of await (await caches.open(name)).keys()) {
        found.push(new URL(asked.url).pathname);
      }
    }
    return found;
  });
}

/** Waits until the worker runs and has cached the page. */
async function settled(page: Page, path = "/index.html") {
  const state = () =>
    page.evaluate(async () => {
      const [found] = await navigator.serviceWorker.getRegistrations();
      return found?.active?.state;
    });
  await expect.poll(state).toBe("activated");
  await expect.poll(() => cached(page)).toContain(path);
}

/** Waits until the worker has cached every file that this page has loaded. */
async function allKept(page: Page) {
  const loaded = await page.evaluate(() =>
    performance
      .getEntriesByType("resource")
      .map((entry) => new URL(entry.name))
      .filter((url) => url.origin === location.origin && url.pathname.startsWith("/assets/"))
      .map((url) => url.pathname),
  );
  expect(loaded.length).toBeGreaterThan(0);
  await expect.poll(() => cached(page)).toEqual(expect.arrayContaining(loaded));
}

/** Whether the machines are stored on the device. */
function machinesKept(page: Page): Promise<boolean> {
  return page.evaluate(async () => {
    const request = indexedDB.open("hourmeter-device");
    await new Promise((resolve) => request.addEventListener("success", resolve));
    const keys = request.result.transaction("kept").objectStore("kept").getAllKeys();
    await new Promise((resolve) => keys.addEventListener("success", resolve));
    request.result.close();
    return keys.result.some((key) => typeof key === "string" && key.startsWith("meters/"));
  });
}

const isService = (path: string) => /^\/(?:api\b|hourmeter\.|sw\.js)/.test(path);

test("the worker registers after the page, and never caches or answers a call", async ({
  open,
}) => {
  const context = await open("desktop", "en", worker);
  const { call } = await company(context, unique("Cache Works"));
  await machine(call, "Excavator");
  const page = await context.newPage();
  await noteRegistrations(page);
  await page.goto("/");
  await expect.poll(() => registered(page)).toBe("/sw.js complete;");
  await settled(page);
  expect(await page.evaluate(() => navigator.serviceWorker.controller?.scriptURL)).toMatch(
    /\/sw\.js$/,
  );

  // From now on the worker handles the page's requests.
  const answers: Array<[path: string, byWorker: boolean]> = [];
  page.on("response", (answer) =>
    answers.push([new URL(answer.url()).pathname, answer.fromServiceWorker()]),
  );
  await page.goto("/equipment-list");
  await expect(page.getByText("Excavator").first()).toBeVisible();
  await page.goto("/employees");
  await expect(page.getByRole("heading", { level: 1 })).toHaveText(en("operators.pageTitle"));
  await expect(page.getByText(en("operators.empty.title"))).toBeVisible();
  const services = answers.filter(([path]) => isService(path));
  expect(services.map(([path]) => path)).toContain("/api/auth/user");
  expect(services.some(([path]) => path.startsWith("/hourmeter."))).toBe(true);
  expect(services.filter(([, byWorker]) => byWorker)).toEqual([]);
  expect(answers.some(([path, byWorker]) => path.startsWith("/assets/") && byWorker)).toBe(true);
  const kept = await cached(page);
  expect(kept).toContain("/index.html");
  expect(kept.filter(isService)).toEqual([]);
  expect(kept.filter((path) => path === "/equipment-list" || path === "/employees")).toEqual([]);
});

test("a visitor gets the page without a connection", async ({ open }) => {
  const context = await open("phone", "en", worker);
  const page = await context.newPage();
  await page.goto("/");
  const heading = page.getByRole("heading", { level: 1 });
  await expect(heading).toHaveText(en("landing.hero.title"));
  await settled(page, "/");
  await allKept(page);
  await context.setOffline(true);
  await page.reload();
  await expect(heading).toHaveText(en("landing.hero.title"));
  await context.setOffline(false);
  await page.reload();
  await expect(heading).toHaveText(en("landing.hero.title"));
});

for (const [browserName, userAgent] of [
  ["Chromium", undefined],
  ["Safari", safari],
] as const) {
  test(`an operator's page starts without a connection, ${browserName}`, async ({ open }) => {
    const office = await open("desktop", "en");
    const { call } = await company(office, unique("Signal Works"));
    await machine(call, "Excavator");
    const username = await operator(call);

    const context = await open("phone", "es", userAgent ? { ...worker, userAgent } : worker);
    await operatorIn(context, username);
    const page = await context.newPage();
    await noteRegistrations(page);
    await page.goto("/");
    await expect(page).toHaveTitle(new RegExp(es("shell.titles.equipmentUpdates")));
    await expect.poll(() => registered(page)).toBe("/sw.js complete;");
    await settled(page);
    await allKept(page);
    await expect.poll(() => machinesKept(page)).toBe(true);

    // Offline, the page shows the user, the machines and the reports.
    await context.setOffline(true);
    await page.reload();
    await ready(page);
    await expect(page.getByText(new RegExp(username))).toBeVisible();
    await report(page, "Excavator", 1001);
    await unsent(page, 1);
    // On every path, as when opened from the home screen.
    await page.goto("/operator");
    await ready(page);
    await unsent(page, 1);
    await report(page, "Excavator", 1002);
    await unsent(page, 2);

    await context.setOffline(false);
    await unsent(page, 0);
    await expect
      .poll(() => stored(call, "Excavator"))
      .toEqual(["1001 by María Salazar", "1002 by María Salazar"]);

    // After a logout the page is no longer cached, and the worker keeps its files.
    await page
      .locator("#main")
      .getByRole("button", { name: es("shell.logout") })
      .click();
    await expect(page.getByRole("heading", { level: 1 })).toHaveText(es("landing.hero.title"));
    await context.setOffline(true);
    await page.goto("/operator");
    await expect(page.getByRole("heading", { level: 1 })).toHaveText(
      es("auth.operatorLogin.title"),
    );
    await page.reload();
    await expect(page.getByLabel(es("auth.operatorLogin.name"))).toBeVisible();
    expect((await cached(page)).filter(isService)).toEqual([]);
  });
}

test("a dead connection does not keep an operator waiting", async ({ open }) => {
  const office = await open("desktop", "en");
  const { call } = await company(office, unique("Slow Works"));
  await machine(call, "Excavator");
  const username = await operator(call);
  const context = await open("phone", "es");
  await operatorIn(context, username);
  const page = await context.newPage();
  await page.goto("/");
  await ready(page);
  await expect.poll(() => machinesKept(page)).toBe(true);
  let letGo = () => undefined as void;
  const held = new Promise<void>((resolve) => (letGo = resolve));
  await page.route("**/api/**", async (route) => {
    await held;
    await route.continue().catch(() => undefined);
  });
  await page.reload();
  await ready(page);
  await report(page, "Excavator", 1001);
  await unsent(page, 1);
  letGo();
  await expect.poll(() => stored(call, "Excavator"), { timeout: 40_000 }).toHaveLength(1);
});

test("Safari has no worker for visitors, owners and managers", async ({ open }) => {
  const context = await open("phone", "en", { ...worker, userAgent: safari });
  const page = await context.newPage();
  await page.clock.install();
  await noteRegistrations(page);
  const heading = page.getByRole("heading", { level: 1 });
  const none = async () => {
    await page.waitForLoadState("load");
    // Long after everything that follows the page has loaded.
    await page.clock.runFor(10_000);
    expect(await registered(page)).toBeNull();
    const count = () => navigator.serviceWorker.getRegistrations().then((all) => all.length);
    expect(await page.evaluate(count)).toBe(0);
  };
  await page.goto("/");
  await expect(heading).toHaveText(en("landing.hero.title"));
  await none();
  await page.goto("/employee-login");
  await expect(heading).toHaveText(en("auth.operatorLogin.title"));
  await none();
  await company(context, unique("Apple Works"));
  await page.goto("/");
  await expect(page).toHaveTitle(/^Dashboard/);
  await none();
});

test.describe("the guard against an empty page", () => {
  for (const [name, userAgent, blocked, loads] of [
    ["reloads it once in Safari", safari, true, 2],
    ["does not reload a page with content", safari, false, 1],
    ["does not reload in other browsers", undefined, true, 1],
  ] as const) {
    test(name, async ({ open }) => {
      const context = await open("phone", "en", userAgent ? { ...worker, userAgent } : worker);
      const page = await context.newPage();
      await page.clock.install();
      let loaded = 0;
      page.on("load", () => (loaded += 1));
      if (blocked) await page.route(/\/assets\/index-[^/]*\.js$/, (route) => route.abort());
      await page.goto("/login");
      const heading = page.getByRole("heading", { level: 1 });
      await expect(heading).toHaveCount(blocked ? 0 : 1);
      await page.clock.runFor(2900);
      expect(loaded).toBe(1);
      await page.clock.runFor(200);
      await expect.poll(() => loaded).toBe(loads);
      // A page that is empty for another reason must not reload endlessly.
      await page.clock.runFor(20_000);
      await page.clock.runFor(20_000);
      expect(loaded).toBe(loads);
      await expect(heading).toHaveCount(blocked ? 0 : 1);
    });
  }
});
