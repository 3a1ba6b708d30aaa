import { expect, type Page } from "@playwright/test";
import { test } from "./fixtures";
import { endSession, phone, ready, report, stored, submit, submitCall, unsent } from "./field";
import { line } from "./line";
import { machine, hire, operatorPassword, rows, toast, type Call } from "./people";
import { words } from "./words";

// An operator's entries are never lost and are stored once, whatever happens to the connection, the
// page or the session. Each test has its own machine and checks the data on the server.

const es = words("es");

let call: Call;
let maria: string;

test.beforeAll(async ({ team }) => {
  ({ call } = team);
  maria = (await hire(call, "María")).operatorUsername;
});

const byMaria = (...readings: number[]) => readings.map((reading) => `${reading} by María Salazar`);

const bar = (page: Page) => page.locator("[data-unsent-bar]");
const sendNow = (page: Page) => page.getByRole("button", { name: es("operator.outbox.sendNow") });

test("without a network several entries wait visibly and are sent in order, once", async ({
  open,
}) => {
  await machine(call, "Loader 1");
  const { context, page } = await phone(open, maria);
  await context.setOffline(true);
  for (const [index, reading] of [1001, 1002, 1003].entries()) {
    await report(page, "Loader 1", reading);
    await unsent(page, index + 1);
  }
  await expect(bar(page).getByText(es("device.blocked.offline"))).toBeVisible();
  await expect(bar(page).getByText(/Siguiente intento en \d+ s$/)).toBeVisible();
  // Reloads with a connection that serves only the page.
  await page.route(submitCall, (route) => route.abort("internetdisconnected"));
  await context.setOffline(false);
  await page.reload();
  await unsent(page, 3);
  await page.unroute(submitCall);
  await sendNow(page).click();
  await unsent(page, 0);
  expect(await stored(call, "Loader 1")).toEqual(byMaria(1001, 1002, 1003));
  await page.reload();
  await ready(page);
  await unsent(page, 0);
  expect(await stored(call, "Loader 1")).toHaveLength(3);
});

test("an entry whose response was lost is not stored again", async ({ open }) => {
  await machine(call, "Loader 2");
  const { page } = await phone(open, maria);
  let lost = 0;
  await page.route(submitCall, async (route) => {
    if (lost > 0) return route.continue();
    lost += 1;
    await route.fetch();
    return route.abort("connectionreset");
  });
  await report(page, "Loader 2", 1004);
  await expect(toast(page, es("operator.kept.title"))).toBeVisible();
  expect(await stored(call, "Loader 2")).toEqual(byMaria(1004));
  // It may be found among the sent ones, or be sent again, before the press.
  await sendNow(page)
    .click({ timeout: 3000 })
    .catch(() => undefined);
  await unsent(page, 0);
  expect(await stored(call, "Loader 2")).toEqual(byMaria(1004));
  const list = page.getByRole("region", { name: es("operator.list.title") });
  await expect(list.getByRole("listitem").filter({ hasText: "1,004" })).toHaveCount(1);
});

test("an entry is stored once despite a reload while it is sent", async ({ open }) => {
  await machine(call, "Loader 3");
  const { page } = await phone(open, maria);
  let asked = 0;
  await page.route(submitCall, async (route) => {
    asked += 1;
    // The first call hangs until the page is closed; the server may or may not have it.
    if (asked > 1) await route.continue();
  });
  await report(page, "Loader 3", 1005);
  await expect.poll(() => asked).toBe(1);
  await page.reload();
  await ready(page);
  await expect.poll(() => stored(call, "Loader 3")).toEqual(byMaria(1005));
  await unsent(page, 0);
  await page.reload();
  await ready(page);
  await unsent(page, 0);
  expect(await stored(call, "Loader 3")).toEqual(byMaria(1005));
});

test("a failing server loses no entry, and its Retry-After is respected", async ({ open }) => {
  await machine(call, "Loader 4");
  const { page } = await phone(open, maria);
  let answer: { status: number; headers: Record<string, string> } = {
    status: 503,
    headers: { "Retry-After": "30" },
  };
  await page.route(submitCall, (route) => route.fulfill({ ...answer, body: "" }));
  await report(page, "Loader 4", 1006);
  await unsent(page, 1);
  await expect(bar(page).getByText(es("device.blocked.server"))).toBeVisible();
  await expect(bar(page).getByText(/Siguiente intento en [23]\d s$/)).toBeVisible();
  answer = { status: 429, headers: { "Retry-After": "50" } };
  await sendNow(page).click();
  await expect(bar(page).getByText(es("device.blocked.limit"))).toBeVisible();
  await expect(bar(page).getByText(/Siguiente intento en [45]\d s$/)).toBeVisible();
  answer = { status: 500, headers: {} };
  for (let round = 0; round < 6; round += 1) {
    await sendNow(page).click();
    await expect(sendNow(page)).toBeEnabled();
  }
  await unsent(page, 1);
  await page.unroute(submitCall);
  await sendNow(page).click();
  await unsent(page, 0);
  expect(await stored(call, "Loader 4")).toEqual(byMaria(1006));
});

test("an entry survives a server restart during its call", async ({ open, baseURL }) => {
  await machine(call, "Loader 9");
  const cut = await line(baseURL ?? "");
  const { context, page } = await phone(open, maria, { baseURL: cut.origin });
  cut.swallow("POST /api/operator-updates");
  await report(page, "Loader 9", 1014);
  await unsent(page, 1);
  expect(await stored(call, "Loader 9")).toEqual(byMaria(1014));
  await cut.stop();
  await report(page, "Loader 9", 1015);
  await unsent(page, 2);
  await page.close();
  cut.swallow(null);
  await cut.start();
  const again = await context.newPage();
  await again.goto("/");
  await ready(again);
  await unsent(again, 0);
  // The bar is absent also before the entries are loaded.
  await expect.poll(() => stored(call, "Loader 9")).toEqual(byMaria(1014, 1015));
  await context.close();
  await cut.stop();
});

test("a refused entry stays with its reason, also after a reload", async ({ open }) => {
  await machine(call, "Loader 5");
  const { page } = await phone(open, maria);
  await page.route(submitCall, (route) =>
    route.fulfill({ status: 404, json: { code: "NOT_FOUND", message: "Not found." } }),
  );
  await report(page, "Loader 5", 1007);
  const refused = es("operator.outbox.refused_one", { count: 1 });
  await expect(page.getByText(refused)).toBeVisible();
  await page.reload();
  await ready(page);
  await expect(page.getByText(refused)).toBeVisible();
  await expect(page.getByText(es("operator.outbox.refusedState"), { exact: true })).toBeVisible();
  expect(await stored(call, "Loader 5")).toEqual([]);
  await page.getByRole("button", { name: es("operator.outbox.discard") }).click();
  const question = page.getByRole("alertdialog", { name: es("operator.outbox.discardTitle") });
  await question.getByRole("button", { name: es("operator.outbox.discard") }).click();
  await expect(page.getByText(refused)).toBeHidden();
});

test("capture continues with an expired session, and everything is sent after signing in", async ({
  open,
}) => {
  await machine(call, "Loader 6");
  const { context, page } = await phone(open, maria);
  await endSession(context);
  await report(page, "Loader 6", 1008);
  const panel = page.getByRole("region", { name: es("device.session.title") });
  await expect(panel).toBeVisible();
  await unsent(page, 1);
  // The page stays usable, also after a reload.
  await page.reload();
  await ready(page);
  await expect(panel).toBeVisible();
  await unsent(page, 1);
  await report(page, "Loader 6", 1009);
  await unsent(page, 2);
  expect(await stored(call, "Loader 6")).toEqual([]);

  await panel.getByRole("button", { name: es("device.session.signIn") }).click();
  const cover = page.getByRole("dialog");
  await expect(cover.getByText(maria)).toBeVisible();
  // The operator postpones the sign-in.
  await cover.getByRole("button", { name: es("auth.ended.later") }).click();
  await expect(cover).toBeHidden();
  await expect(submit(page)).toBeVisible();
  await panel.getByRole("button", { name: es("device.session.signIn") }).click();
  await cover.getByLabel(es("auth.password"), { exact: true }).fill(operatorPassword);
  await cover.getByRole("button", { name: es("auth.ownerLogin.submit") }).click();
  await expect(panel).toBeHidden();
  await unsent(page, 0);
  expect(await stored(call, "Loader 6")).toEqual(byMaria(1008, 1009));
});

test("two tabs both show waiting entries, and one of them sends them", async ({ open }) => {
  await machine(call, "Loader 7");
  const { context, page } = await phone(open, maria);
  const other = await context.newPage();
  await other.goto("/");
  await ready(other);
  const sent: string[] = [];
  let online = false;
  await context.route(submitCall, (route) => {
    if (!online) return route.abort("internetdisconnected");
    sent.push(route.request().headers()["idempotency-key"] ?? "");
    return route.continue();
  });
  await report(page, "Loader 7", 1010);
  await unsent(page, 1);
  await unsent(other, 1);
  await report(other, "Loader 7", 1011);
  await unsent(other, 2);
  await unsent(page, 2);
  online = true;
  // The other tab may already have removed the button.
  await Promise.all([sendNow(page), sendNow(other)].map((each) => each.dispatchEvent("click")));
  await unsent(page, 0);
  await unsent(other, 0);
  expect(await stored(call, "Loader 7")).toEqual(byMaria(1010, 1011));
  expect(new Set(sent).size).toBe(2);
  expect(sent).toHaveLength(2);
  // The remaining tab sends the other one's entry.
  online = false;
  await report(other, "Loader 7", 1012);
  await unsent(page, 1);
  await other.close();
  online = true;
  await sendNow(page).click();
  await unsent(page, 0);
  expect(await stored(call, "Loader 7")).toEqual(byMaria(1010, 1011, 1012));
});

test("a reading from a phone whose clock is days behind has the right time", async ({ open }) => {
  await machine(call, "Loader 8");
  const { page } = await phone(open, maria, { ownContext: true });
  const yesterday = Date.now() - 3 * 24 * 60 * 60 * 1000;
  await page.clock.setSystemTime(yesterday);
  await report(page, "Loader 8", 1013);
  await expect.poll(() => stored(call, "Loader 8")).toEqual(byMaria(1013));
  const all = await rows(call, "/api/operator-updates");
  const row = all.find(({ equipmentName }) => equipmentName === "Loader 8");
  expect(Math.abs(Date.now() - Date.parse(String(row?.capturedAt)))).toBeLessThan(5 * 60_000);
});
