import { expect, type Page } from "@playwright/test";
import { test, type Open, type Screen } from "./fixtures";
import { machine, hire, operatorIn, rows, toast, unique, type Call } from "./people";
import { endSession, signInOnPage } from "./field";
import { words, type Language, type Words } from "./words";

let call: Call;
let username: string;
let paver: string;

test.beforeAll(async ({ team }) => {
  ({ call } = team);
  username = (await hire(call, "María")).operatorUsername;
  paver = unique("Paver");
  await readMachine(paver, 1500);
});

async function desk(open: Open, screen: Screen, language: Language, who = username) {
  const context = await open(screen, language);
  await operatorIn(context, who);
  const page = await context.newPage();
  await page.goto("/");
  const t = words(language);
  await expect(page.getByText(t("operator.outbox.allSent"))).toBeVisible();
  return { context, page, t };
}

/** A machine whose meter was just read. */
async function readMachine(name: string, reading: number): Promise<string> {
  const id = await machine(call, name, { currentUsage: reading - 1 });
  await call("PATCH", `/api/equipment/${id}/usage`, { currentUsage: reading });
  return id;
}

const sheetOf = (page: Page, t: Words) =>
  page.getByRole("dialog", { name: t("operator.picker.choose") });

async function openPicker(page: Page, t: Words) {
  await page.getByRole("button", { name: new RegExp(`^${t("operator.form.equipment")}`) }).click();
  await expect(sheetOf(page, t)).toBeVisible();
}

async function choose(page: Page, t: Words, name: string) {
  await openPicker(page, t);
  const sheet = sheetOf(page, t);
  await sheet.getByLabel(t("operator.picker.search")).fill(name);
  await sheet.getByRole("button", { name: new RegExp(`^${name}`) }).click();
  await expect(sheet).toBeHidden();
}

const field = (page: Page, t: Words) => page.getByLabel(t("operator.form.readingHours"));
const send = (page: Page, t: Words) =>
  page.getByRole("button", { name: t("operator.form.submit"), exact: true }).click();
const confirmation = (page: Page, t: Words) =>
  page.getByRole("group", { name: t("operator.toast.submitted"), exact: true });

async function newest(): Promise<Record<string, unknown> | undefined> {
  return (await rows(call, "/api/operator-updates"))[0];
}

test("a pinned machine is chosen with one press and its reading sent, on a desktop in en", async ({
  open,
}) => {
  const name = `Excavator desktop`;
  const id = await readMachine(name, 4804.1);
  const { page, t } = await desk(open, "desktop", "en");
  await openPicker(page, t);
  await page.getByRole("button", { name: t("operator.picker.pin", { name }) }).click();
  await page.keyboard.press("Escape");
  const atHand = page.getByRole("list", { name: t("operator.picker.atHand") });
  await atHand.getByRole("button", { name: new RegExp(name) }).click();
  await expect(field(page, t)).toBeFocused();
  await expect(field(page, t)).toHaveAttribute("inputmode", "decimal");
  await expect(page.getByText(/4,804\.1\sh · /)).toBeVisible();
  await field(page, t).fill("4806,5");
  await expect(page.getByText("+2.4 h", { exact: true })).toBeVisible();
  await expect(page.getByLabel(t("labels.fuelKinds.diesel"))).toBeChecked();
  await page.keyboard.press("Enter");
  await expect(toast(page, t("operator.toast.submitted"))).toBeVisible();
  await expect(confirmation(page, t)).toBeFocused();
  await expect(confirmation(page, t)).toContainText("4,806.5 h");
  await expect(confirmation(page, t)).toContainText(t("updates.status.pending"));
  expect(await newest()).toMatchObject({ equipmentId: id, newUsage: 4806.5, flags: [] });

  // Pins stay on this device, and the last machine is not preselected.
  await page.reload();
  await expect(atHand.getByRole("button", { name: new RegExp(name) })).toBeVisible();
  await expect(page.getByText(t("operator.picker.searchAll"))).toBeVisible();
});

test("added hours and a note are sent, on a phone in es", async ({ open }) => {
  const name = `Loader phone`;
  const id = await readMachine(name, 1200);
  const { page, t } = await desk(open, "phone", "es");
  await choose(page, t, name);
  await page.getByText(t("operator.form.addedHours"), { exact: true }).first().click();
  await page.getByRole("textbox", { name: t("operator.form.addedHours") }).fill("8.25");
  await expect(page.getByRole("form").getByText("1,208.25 h")).toBeVisible();
  await page.getByRole("button", { name: t("operator.form.addNote") }).click();
  await page.getByLabel(t("operator.form.notes")).fill("Left track looks loose");
  await send(page, t);
  await expect(confirmation(page, t)).toContainText("+8.25 h");
  expect(await newest()).toMatchObject({
    equipmentId: id,
    newUsage: null,
    usageIncrease: 8.25,
    notes: "Left track looks loose",
  });
});

test("an implausible reading is questioned once, on a desktop in en", async ({ open }) => {
  const name = `Grader desktop`;
  const other = `Backhoe desktop`;
  await readMachine(name, 3000);
  const otherId = await readMachine(other, 7400);
  const { page, t } = await desk(open, "desktop", "en");

  // Ten times too much: the decimal point is missing.
  await choose(page, t, name);
  await field(page, t).fill("30045");
  await send(page, t);
  const jump = page.getByRole("dialog", { name: t("operator.check.jumpTitle") });
  await expect(jump).toContainText("30,045 h");
  await page.keyboard.press("Escape");
  await expect(jump).toBeHidden();
  await expect(field(page, t)).toHaveValue("30045");
  await field(page, t).fill("30046");
  await send(page, t);
  await jump.getByRole("button", { name: t("operator.check.send", { what: "3,004.6 h" }) }).click();
  await expect(confirmation(page, t)).toContainText("3,004.6 h");
  expect(await newest()).toMatchObject({ newUsage: 3004.6, flags: [] });

  // The reading of another machine.
  await choose(page, t, name);
  await field(page, t).fill("7403");
  await send(page, t);
  await jump.getByRole("button", { name: t("operator.check.sendFor", { name: other }) }).click();
  await expect(confirmation(page, t)).toContainText(other);
  expect(await newest()).toMatchObject({ equipmentId: otherId, newUsage: 7403, flags: [] });

  // A new meter: the manager is informed.
  await choose(page, t, name);
  await field(page, t).fill("2");
  await send(page, t);
  const below = page.getByRole("dialog", { name: t("operator.check.belowTitle") });
  await below.getByRole("button", { name: t("operator.check.sendReplaced") }).click();
  await expect(confirmation(page, t)).toContainText("2 h");
  const note = t("operator.check.replacedNote");
  expect(await newest()).toMatchObject({ newUsage: 2, notes: note, flags: ["below_meter"] });

  // Much fuel, but correct: it is sent unchanged and flagged.
  await choose(page, t, name);
  await page.getByLabel(t("operator.form.fuel")).fill("385");
  await send(page, t);
  const fuel = page.getByRole("dialog", { name: t("operator.check.fuelTitle") });
  await fuel.getByRole("button", { name: t("operator.check.asItIs") }).click();
  await expect(confirmation(page, t)).toContainText("385.0 gal");
  expect(await newest()).toMatchObject({ fuelAdded: 385, flags: ["fuel_high"] });

  // A repeat is not sent.
  const before = (await rows(call, "/api/operator-updates")).length;
  await choose(page, t, other);
  await field(page, t).fill("7403");
  await send(page, t);
  const repeated = page.getByRole("dialog", { name: t("operator.check.repeatedTitle") });
  await repeated.getByRole("button", { name: new RegExp(t("operator.check.drop")) }).click();
  await expect(repeated).toBeHidden();
  expect((await rows(call, "/api/operator-updates")).length).toBe(before);
});

test("an entry without signal is sent later and applied, on a phone in es", async ({ open }) => {
  const name = `Dozer phone`;
  await readMachine(name, 500);
  const { context, page, t } = await desk(open, "phone", "es");
  await context.setOffline(true);
  await expect(page.getByText(t("operator.offline.title"))).toBeVisible();
  await choose(page, t, name);
  await field(page, t).fill("503");
  await send(page, t);
  const kept = page.getByRole("group", { name: t("operator.kept.title"), exact: true });
  await expect(kept).toContainText(t("operator.outbox.waitingState"));
  await expect(page.getByText(t("operator.outbox.waiting_one", { count: 1 }))).toBeVisible();

  await context.setOffline(false);
  await expect(confirmation(page, t)).toContainText(t("updates.status.pending"));
  await expect(page.getByText(t("operator.offline.title"))).toBeHidden();
  const sent = await newest();
  expect(sent).toMatchObject({ newUsage: 503, status: "pending" });
  await call("POST", `/api/operator-updates/${String(sent?.id)}/apply`, {});
  await page.getByRole("button", { name: t("operator.list.refresh") }).click();
  await expect(confirmation(page, t)).toContainText(t("updates.status.applied"));
});

test("a draft survives a reload, on a desktop in en", async ({ open }) => {
  const name = `Roller desktop`;
  const id = await readMachine(name, 700);
  const who = (await hire(call, "Luz")).operatorUsername;
  const { page, t } = await desk(open, "desktop", "en", who);
  await choose(page, t, name);
  await page.getByText(t("operator.form.addedHours"), { exact: true }).first().click();
  const added = page.getByRole("textbox", { name: t("operator.form.addedHours") });
  await added.fill("3.5");
  await page.getByLabel(t("operator.form.fuel")).fill("21");
  await page.getByRole("button", { name: t("operator.form.addNote") }).click();
  await page.getByLabel(t("operator.form.notes")).fill("Left mirror is");
  await page.reload();
  const restored = page.getByText(t("operator.draft.restored"));
  await expect(restored).toBeVisible();
  await expect(page.getByRole("button", { name: new RegExp(name) }).first()).toBeVisible();
  await expect(added).toHaveValue("3.5");
  await expect(page.getByLabel(t("operator.form.fuel"))).toHaveValue("21");
  const notes = page.getByLabel(t("operator.form.notes"));
  await expect(notes).toHaveValue("Left mirror is");
  await notes.fill("Left mirror is gone");
  await send(page, t);
  await expect(confirmation(page, t)).toContainText("+3.5 h");
  await expect(restored).toBeHidden();
  const ofMachine = async () =>
    (await rows(call, "/api/operator-updates")).filter((row) => row.equipmentId === id);
  await expect.poll(async () => (await ofMachine()).length).toBe(1);
  await page.reload();
  await expect(page.getByText(t("operator.picker.searchAll"))).toBeVisible();
  await expect(restored).toBeHidden();
  expect(await ofMachine()).toMatchObject([
    { usageIncrease: 3.5, fuelAdded: 21, notes: "Left mirror is gone" },
  ]);

  // A discarded draft does not reappear.
  await choose(page, t, name);
  await field(page, t).fill("999");
  await page.reload();
  await page.getByRole("button", { name: t("operator.outbox.discard"), exact: true }).click();
  const question = page.getByRole("alertdialog", { name: t("operator.draft.discardTitle") });
  await question.getByRole("button", { name: t("operator.outbox.discard"), exact: true }).click();
  await expect(restored).toBeHidden();
  await page.reload();
  await expect(page.getByText(t("operator.picker.searchAll"))).toBeVisible();
  await expect(restored).toBeHidden();
  expect(await ofMachine()).toHaveLength(1);
});

test("a rejected update is reported and corrected, on a phone in es", async ({ open }) => {
  const name = `Crane phone`;
  await readMachine(name, 900);
  // Another operator without rejections.
  const who = (await hire(call, "Ana")).operatorUsername;
  const { page, t } = await desk(open, "phone", "es", who);
  const reason = "Read it again, please";
  const sendRejected = async (reading: number) => {
    await choose(page, t, name);
    await field(page, t).fill(String(reading));
    await send(page, t);
    await expect(confirmation(page, t)).toContainText(`${reading} h`);
    await expect(confirmation(page, t)).toContainText(t("updates.status.pending"));
    const sent = await newest();
    expect(sent).toMatchObject({ newUsage: reading });
    await call("POST", `/api/operator-updates/${String(sent?.id)}/reject`, { reason });
  };
  await sendRejected(903);
  await sendRejected(908);

  await page.reload();
  const message = page.getByRole("region", { name: t("updates.status.rejected") });
  await expect(message).toContainText(`${name}, 908 h`);
  await expect(message).toContainText(reason);
  await message.getByRole("button", { name: t("operator.rejected.correct") }).click();
  await expect(field(page, t)).toHaveValue("908");
  await field(page, t).fill("905");
  await send(page, t);
  await expect(confirmation(page, t)).toContainText("905 h");
  expect(await newest()).toMatchObject({ newUsage: 905, status: "pending" });

  // The answered rejection stays dismissed on this device; the other is still new.
  const list = page.getByRole("region", { name: t("operator.list.title") });
  const answered = list
    .getByRole("listitem")
    .filter({ has: page.getByText(t("operator.rejected.corrected")) });
  const othersRemain = async () => {
    await expect(message).toContainText(`${name}, 903 h`);
    await expect(answered).toHaveCount(1);
    await expect(answered).toContainText("908 h");
    await expect(answered.getByRole("button")).toHaveText(t("operator.rejected.correctAgain"));
  };
  await othersRemain();
  await page.reload();
  await othersRemain();
  await message.getByRole("button", { name: t("operator.rejected.gotIt") }).click();
  await expect(message).toBeHidden();
  // It is stored on the device a moment after it disappears from the screen.
  await expect.poll(() => seenOnDevice(page)).toBe(1);
  await page.reload();
  await expect(answered).toHaveCount(1);
  await expect(message).toBeHidden();
});

test("a draft survives the end of the session and another user on the same phone", async ({
  open,
}) => {
  const t = words("es");
  const first = (await hire(call, "Eva")).operatorUsername;
  const second = (await hire(call, "Noe")).operatorUsername;
  const { context, page } = await desk(open, "phone", "es", first);
  await choose(page, t, paver);
  await field(page, t).fill("1504");
  await endSession(context);
  await page.reload();
  await expect(field(page, t)).toHaveValue("1504");
  // The session has ended; another user signs in and sees none of it.
  const restored = page.getByText(t("operator.draft.restored"));
  await page.goto("/employee-login");
  await signInOnPage(page, second);
  await expect(restored).toBeHidden();
  await expect(page.getByText(t("operator.picker.searchAll"))).toBeVisible();
  await page
    .locator("#main")
    .getByRole("button", { name: t("shell.logout") })
    .click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText(t("landing.hero.title"));

  await page.goto("/employee-login");
  await signInOnPage(page, first);
  await expect(restored).toBeVisible();
  await expect(field(page, t)).toHaveValue("1504");
  await send(page, t);
  await expect(confirmation(page, t)).toContainText("1,504 h");
  const stored = async () =>
    (await rows(call, "/api/operator-updates")).filter(
      ({ equipmentName, newUsage }) => equipmentName === paver && newUsage === 1504,
    );
  await expect.poll(async () => (await stored()).length).toBe(1);
  await page.reload();
  await expect(page.getByText(t("operator.picker.searchAll"))).toBeVisible();
  await expect(restored).toBeHidden();
  expect(await stored()).toMatchObject([{ newUsage: 1504 }]);
});

test("two tabs continue one draft, and only one of them sends it", async ({ open }) => {
  const t = words("en");
  const who = (await hire(call, "Sol")).operatorUsername;
  const { context, page } = await desk(open, "desktop", "en", who);
  await choose(page, t, paver);
  await field(page, t).fill("15");
  const other = await context.newPage();
  await other.goto("/");
  await expect(field(other, t)).toHaveValue("15");
  await page.reload();
  await expect(field(page, t)).toHaveValue("15");
  await field(other, t).fill("1507");
  await expect(field(page, t)).toHaveValue("1507");
  await send(page, t);
  await expect(confirmation(page, t)).toContainText("1,507 h");
  await expect(other.getByText(t("operator.picker.searchAll"))).toBeVisible();
  await expect(other.getByText(t("operator.draft.restored"))).toBeHidden();
});

test("a reading below the meter is sent unchanged, and the manager decides", async ({ open }) => {
  const name = "Scraper";
  const id = await machine(call, name);
  const { page, t } = await desk(open, "phone", "es");
  await choose(page, t, name);
  await field(page, t).fill("15");
  await send(page, t);
  const question = page.getByRole("dialog", { name: t("operator.check.belowTitle") });
  await question.getByRole("button", { name: t("operator.check.asItIs") }).click();
  await expect(toast(page, t("operator.toast.submitted"))).toBeVisible();
  const sent = await newest();
  expect(sent).toMatchObject({ newUsage: 15, status: "pending", flags: ["below_meter"] });

  await call("POST", `/api/operator-updates/${String(sent?.id)}/apply`, { newUsage: 15 });
  await page.getByRole("button", { name: t("operator.list.refresh") }).click();
  await expect(confirmation(page, t)).toContainText(t("updates.status.applied"));
  expect(await call("GET", `/api/equipment/${id}`)).toMatchObject({ currentUsage: 15 });
});

/** The number of rejections that this device stores as seen. */
const seenOnDevice = (page: Page) =>
  page.evaluate(
    () =>
      new Promise<number>((resolve, reject) => {
        const opening = indexedDB.open("hourmeter-device");
        opening.addEventListener("error", () => reject(new Error("not opened")));
        opening.addEventListener("success", () => {
          const asked = opening.result
            .transaction("kept")
            .objectStore("kept")
            .getAll(IDBKeyRange.bound("seen/", "seen0"));
          asked.addEventListener("success", () => {
            opening.result.close();
            resolve(asked.result.flat().length);
          });
        });
      }),
  );
