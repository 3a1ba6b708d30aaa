import { expect, type Page } from "@playwright/test";
import { test } from "./fixtures";
import {
  choose,
  endSession,
  phone,
  ready,
  report,
  signInOnPage,
  stored,
  submit,
  submitCall,
  unsent,
} from "./field";
import { machine, hire, operatorIn, operatorPassword, rows, toast, type Call } from "./people";
import { words } from "./words";

// Data on a phone: their owner, what survives a logout, and what the page shows if the phone stores
// nothing.

const es = words("es");

let call: Call;
let maria: string;
let juan: string;

test.beforeAll(async ({ team }) => {
  ({ call } = team);
  maria = (await hire(call, "María")).operatorUsername;
  juan = (await hire(call, "Juan")).operatorUsername;
});

const sendNow = (page: Page) => page.getByRole("button", { name: es("operator.outbox.sendNow") });

/** Logs out; the page must report that `unsentCount` updates stay on the phone. */
async function logOut(page: Page, unsentCount: number, nextPage = es("landing.hero.title")) {
  await page
    .locator("#main")
    .getByRole("button", { name: es("shell.logout") })
    .click();
  if (unsentCount > 0) {
    const question = page.getByRole("alertdialog", {
      name: es("operator.outbox.leaveTitle"),
    });
    await expect(question).toContainText(String(unsentCount));
    await question.getByRole("button", { name: es("operator.outbox.leave") }).click();
  }
  await expect(page.getByRole("heading", { level: 1 })).toHaveText(nextPage);
}

/** The data on the device, as `key` or `person: entry`. */
function keptOn(page: Page) {
  return page.evaluate(async () => {
    const answer = <T>(request: IDBRequest<T>) =>
      new Promise<T>((resolve, reject) => {
        request.addEventListener("success", () => resolve(request.result));
        request.addEventListener("error", () => reject(request.error ?? new Error("no answer")));
      });
    const database = await answer(indexedDB.open("hourmeter-device"));
    const all = database.transaction(["kept", "entries"]);
    const keys = await answer(all.objectStore("kept").getAllKeys());
    const records: Array<{ entry: { reading?: number } }> = await answer(
      all.objectStore("entries").getAll(),
    );
    database.close();
    return {
      keys: keys.map(String),
      readings: records.map(({ entry }) => entry.reading ?? null),
    };
  });
}

test("with two operators on one phone, each entry is sent by its author, in the author's name", async ({
  open,
}) => {
  await machine(call, "Truck 1");
  const { context, page } = await phone(open, maria);
  await context.setOffline(true);
  await report(page, "Truck 1", 1001);
  await unsent(page, 1);
  await report(page, "Truck 1", 1002);
  await unsent(page, 2);
  // The server does not receive this logout: the session must not return with the connection.
  await logOut(page, 2, es("auth.operatorLogin.title"));
  expect((await keptOn(page)).keys).not.toContain("identity");
  await context.setOffline(false);
  // The logout without signal may still be loading the stored page.
  await page.waitForLoadState();
  await page.goto("/employee-login");
  const waiting = es("device.waitingHere_other", { count: 2, name: maria });
  await expect(page.getByText(waiting)).toBeVisible();

  await signInOnPage(page, juan);
  await unsent(page, 0);
  await report(page, "Truck 1", 1003);
  await expect(toast(page, es("operator.toast.submitted"))).toBeVisible();
  await page.reload();
  await ready(page);
  expect(await stored(call, "Truck 1")).toEqual(["1003 by Juan Salazar"]);
  expect((await keptOn(page)).readings).toEqual([1001, 1002]);
  await logOut(page, 0);

  await page.goto("/employee-login");
  await expect(page.getByText(waiting)).toBeVisible();
  await signInOnPage(page, maria);
  await unsent(page, 0);
  await expect
    .poll(() => stored(call, "Truck 1"))
    .toEqual(["1003 by Juan Salazar", "1001 by María Salazar", "1002 by María Salazar"]);
  expect((await keptOn(page)).readings).toEqual([]);
});

test("no entry is sent in the name of a user who signs in in another tab", async ({ open }) => {
  await machine(call, "Truck 2");
  const { context, page } = await phone(open, maria);
  await context.setOffline(true);
  await report(page, "Truck 2", 1001);
  await unsent(page, 1);
  // Like another tab or another window of the same browser.
  await operatorIn(context, juan);
  await context.setOffline(false);
  await expect(page.getByText(new RegExp(juan))).toBeVisible();
  await unsent(page, 0);
  expect(await stored(call, "Truck 2")).toEqual([]);
  expect((await keptOn(page)).readings).toEqual([1001]);
  await operatorIn(context, maria);
  await page.reload();
  await ready(page);
  await unsent(page, 0);
  await expect.poll(() => stored(call, "Truck 2")).toEqual(["1001 by María Salazar"]);
});

test("another user can sign in after the session has ended", async ({ open }) => {
  await machine(call, "Truck 3");
  const { context, page } = await phone(open, maria);
  await endSession(context);
  await report(page, "Truck 3", 1001);
  const panel = page.getByRole("region", { name: es("device.session.title") });
  await panel.getByRole("button", { name: es("device.session.signIn") }).click();
  await page.getByRole("button", { name: es("auth.ended.someoneElse") }).click();
  await signInOnPage(page, juan);
  await unsent(page, 0);
  await report(page, "Truck 3", 1002);
  await expect.poll(() => stored(call, "Truck 3")).toEqual(["1002 by Juan Salazar"]);
  const { keys, readings } = await keptOn(page);
  expect(readings).toEqual([1001]);
  // The first user's lists are deleted, the second user's are stored.
  expect(keys.filter((key) => key.startsWith("meters/"))).toHaveLength(1);
});

test("a logout removes lists and identity from the phone, and keeps unsent entries", async ({
  open,
}) => {
  await machine(call, "Truck 4");
  const { page } = await phone(open, maria);
  await report(page, "Truck 4", 1001);
  await expect(toast(page, es("operator.toast.submitted"))).toBeVisible();
  const groups = async () => [...new Set((await keptOn(page)).keys.map((k) => k.split("/")[0]))];
  await expect.poll(groups).toEqual(expect.arrayContaining(["history", "identity", "meters"]));
  await page.route(submitCall, (route) => route.abort());
  await report(page, "Truck 4", 1002);
  await unsent(page, 1);
  await logOut(page, 1);
  await expect.poll(groups).not.toContain("meters");
  const left = await groups();
  expect(left).not.toContain("history");
  expect(left).not.toContain("identity");
  expect((await keptOn(page)).readings).toEqual([1002]);
  const storage = await page.evaluate(() => JSON.stringify([localStorage, sessionStorage]));
  expect(storage).not.toMatch(/operator/i);
});

const notKept = (page: Page) => page.locator("[data-unsent-bar]").getByText(es("device.notKept"));

test("a phone without storage shows a warning, and still sends", async ({ open }) => {
  await machine(call, "Truck 6");
  const context = await open("phone", "es");
  await operatorIn(context, maria);
  const page = await context.newPage();
  await page.addInitScript(() => {
    indexedDB.open = () => {
      throw new DOMException("A mutation operation was attempted", "InvalidStateError");
    };
  });
  await page.goto("/");
  await ready(page);
  await page.route(submitCall, (route) => route.abort());
  await report(page, "Truck 6", 1001);
  await unsent(page, 1);
  await expect(notKept(page)).toBeVisible();
  // Leaving now would lose the entry, so the browser asks.
  const asked = new Promise<string>((resolve) => {
    page.once("dialog", (dialog) => {
      resolve(dialog.type());
      void dialog.dismiss();
    });
  });
  await page.close({ runBeforeUnload: true });
  expect(await asked).toBe("beforeunload");
  await page.unroute(submitCall);
  // Sent automatically, on its timer.
  await expect
    .poll(() => stored(call, "Truck 6"), { timeout: 30_000 })
    .toEqual(["1001 by María Salazar"]);
  // No entry waits; older entries may exist, but storage can't be read.
  const bar = page.locator("[data-unsent-bar]");
  await expect(bar).toHaveText(es("device.notRead"));
});

test("a full phone reports unstored entries, and stores them when there is space", async ({
  open,
}) => {
  await machine(call, "Truck 7");
  const { page } = await phone(open, maria);
  await page.route(submitCall, (route) => route.abort());
  await report(page, "Truck 7", 1001);
  await unsent(page, 1);
  await expect(notKept(page)).toBeHidden();
  await page.evaluate(() => {
    const store = IDBObjectStore.prototype;
    const working = Object.getOwnPropertyDescriptors(store);
    const full = () => {
      throw new DOMException("The quota has been exceeded", "QuotaExceededError");
    };
    Object.assign(store, { add: full, put: full });
    addEventListener("make-space", () => Object.defineProperties(store, working), { once: true });
  });
  await report(page, "Truck 7", 1002);
  await unsent(page, 2);
  await expect(notKept(page)).toBeVisible();
  expect((await keptOn(page)).readings).toEqual([1001]);
  await page.evaluate(() => dispatchEvent(new Event("make-space")));
  await sendNow(page).click();
  await expect(notKept(page)).toBeHidden();
  expect((await keptOn(page)).readings).toEqual([1001, 1002]);
  await page.reload();
  await ready(page);
  await unsent(page, 2);
  await page.unroute(submitCall);
  await sendNow(page).click();
  await unsent(page, 0);
  expect(await stored(call, "Truck 7")).toEqual(["1001 by María Salazar", "1002 by María Salazar"]);
});

test("the browser is asked for persistent storage with the first entry", async ({ open }) => {
  await machine(call, "Truck 8");
  const context = await open("phone", "es");
  await operatorIn(context, maria);
  const page = await context.newPage();
  await page.addInitScript(() => {
    navigator.storage.persist = () => {
      document.documentElement.dataset.persist = "asked";
      return Promise.resolve(true);
    };
  });
  await page.goto("/");
  await ready(page);
  await choose(page, "Truck 8");
  const asked = () => page.locator("html").getAttribute("data-persist");
  expect(await asked()).toBeNull();
  await page.getByLabel(es("operator.form.readingHours")).fill("1001");
  await submit(page).click();
  await expect.poll(asked).toBe("asked");
});

test("an operator's password is never stored", async ({ open }) => {
  const { context, page } = await phone(open, maria);
  await endSession(context);
  await page.reload();
  await ready(page);
  const panel = page.getByRole("region", { name: es("device.session.title") });
  await panel.getByRole("button", { name: es("device.session.signIn") }).click();
  const cover = page.getByRole("dialog");
  await cover.getByLabel(es("auth.password"), { exact: true }).fill(operatorPassword);
  await cover.getByRole("button", { name: es("auth.ownerLogin.submit") }).click();
  await expect(panel).toBeHidden();
  const { storedData } = await import("./stored");
  expect(JSON.stringify(await storedData(page))).not.toContain(operatorPassword);
});

async function choosePin(page: Page, pin: string) {
  const hint = page.getByRole("region", { name: es("phone.hint.title") });
  await hint.getByRole("button", { name: es("phone.card.choose") }).click();
  const dialog = page.getByRole("dialog", { name: es("phone.dialog.title") });
  await dialog.getByLabel(es("phone.dialog.pin"), { exact: true }).fill(pin);
  await dialog.getByLabel(es("phone.dialog.repeated")).fill(pin);
  await dialog.getByRole("button", { name: es("phone.dialog.submit") }).click();
  await expect(hint).toBeHidden();
}

async function enterPin(page: Page, pin: string) {
  await page.getByLabel(es("phone.people.pin"), { exact: true }).fill(pin);
  await page
    .getByRole("button", { name: es("phone.people.submit") })
    .first()
    .click();
}

const choosePerson = (page: Page, name: string) =>
  page.getByRole("button", { name: new RegExp(`^${name}`) }).click();

test("two operators hand over a phone without signal, each with their own PIN", async ({
  open,
}) => {
  const operatorLogin = es("auth.operatorLogin.title");
  await machine(call, "Truck 9");
  const { context, page } = await phone(open, maria, { ownContext: true });
  await choosePin(page, "4073");
  await logOut(page, 0);
  await page.goto("/employee-login");
  await signInOnPage(page, juan);
  await choosePin(page, "90210");
  await logOut(page, 0);
  await page.goto("/employee-login");
  await signInOnPage(page, maria);
  // All code that is used without signal is loaded.
  await page.waitForLoadState("networkidle");

  await context.setOffline(true);
  await report(page, "Truck 9", 1001);
  await unsent(page, 1);
  await logOut(page, 1, operatorLogin);
  await choosePerson(page, "Juan Salazar");
  await enterPin(page, "1111");
  await expect(page.getByText(es("phone.people.wrong_other", { count: 4 }))).toBeVisible();
  await enterPin(page, "90210");
  await ready(page);
  await expect(page.getByRole("region", { name: es("device.byPin.title") })).toBeVisible();
  await report(page, "Truck 9", 1002);
  await unsent(page, 1);

  await context.setOffline(false);
  const sent = async () => (await stored(call, "Truck 9")).toSorted();
  await expect.poll(sent).toEqual(["1001 by María Salazar", "1002 by Juan Salazar"]);
  await unsent(page, 0);
  const label = es("phone.dialog.defaultLabel", { name: "María Salazar" });
  const updates = await rows(call, "/api/operator-updates");
  const ofTruck = updates.filter(({ equipmentName }) => equipmentName === "Truck 9");
  expect(ofTruck.map(({ capturedOnDevice }) => capturedOnDevice)).toEqual([label, label]);

  await test.step("after five wrong PINs the right one is refused", async () => {
    await context.setOffline(true);
    await logOut(page, 0, operatorLogin);
    await choosePerson(page, "María Salazar");
    for (const left of [4, 3, 2]) {
      await enterPin(page, "1111");
      await expect(page.getByText(es("phone.people.wrong_other", { count: left }))).toBeVisible();
    }
    await enterPin(page, "1111");
    await expect(page.getByText(es("phone.people.wrong_one", { count: 1 }))).toBeVisible();
    await enterPin(page, "1111");
    await expect(page.getByText(es("phone.people.locked"))).toBeVisible();
    await enterPin(page, "4073");
    await expect(page.getByText(es("phone.people.locked"))).toBeVisible();
  });

  await test.step("a phone that a manager has removed forgets its PINs at the next contact", async () => {
    await page.getByRole("button", { name: es("phone.people.back") }).click();
    await choosePerson(page, "Juan Salazar");
    await enterPin(page, "90210");
    await ready(page);
    await report(page, "Truck 9", 1003);
    await unsent(page, 1);
    const phones = await rows(call, "/api/devices");
    const found = phones.find((each) => each.label === label);
    await call("DELETE", `/api/devices/${String(found?.id)}`);
    await context.setOffline(false);
    await expect.poll(sent).toContain("1003 by Juan Salazar");
    await page.goto("/employee-login");
    await expect(page.getByText(es("phone.ended.device"))).toBeVisible();
    // The navigation may come before the response, and then the entry is sent again.
    await expect.poll(async () => (await keptOn(page)).readings).toEqual([]);
    await context.setOffline(true);
    await expect(page.getByText(es("phone.people.none"))).toBeVisible();
  });
});
