import { expect, type Locator, type Page } from "@playwright/test";
import { test, type Open, type Screen } from "./fixtures";
import {
  caller,
  company,
  machine,
  operator,
  operatorIn,
  rows,
  toast,
  unique,
  type Call,
} from "./people";
import { words, type Language, type Words } from "./words";

/** A company with machines, and an operator who reports over REST. */
async function site(open: Open, screen: Screen, language: Language) {
  const office = await open(screen, language);
  const { call } = await company(office, unique("Review Works"));
  const username = await operator(call);
  const field = await open("phone", "es");
  await operatorIn(field, username);
  const crew = caller(field);
  const page = await office.newPage();
  const report = (equipmentId: string, more: object) =>
    crew("POST", "/api/operator-updates", { equipmentId, ...more });
  return { call, page, report, t: words(language) };
}

/** A machine whose meter was read, so that a jump from it is detected. */
async function readMachine(call: Call, name: string, usage: number, more: object = {}) {
  const id = await machine(call, name, { currentUsage: usage - 1, ...more });
  await call("PATCH", `/api/equipment/${id}/usage`, { currentUsage: usage });
  return id;
}

const equipmentNamed = async (call: Call, name: string) =>
  (await rows(call, `/api/equipment?search=${encodeURIComponent(name)}`))[0];
const updatesOf = async (call: Call, name: string) =>
  (await rows(call, "/api/operator-updates")).filter((row) => row.equipmentName === name);

/** A reading in either language, but not the year of a date. */
const hours = (reading: number) => new RegExp(`(?<!\\d)${reading} (hours|horas)`);

const rowWith = (page: Page, text: string | RegExp) =>
  page
    .getByRole("row")
    .filter({ has: page.getByRole("button") })
    .filter({ hasText: text });

/** An entry of the row's menu of fixes. */
async function choose(page: Page, row: Locator, text: string) {
  await row.locator("button[aria-haspopup=menu]").click();
  await page.getByRole("menuitem", { name: text, exact: true }).click();
}

test("every fix works, on a phone in es", async ({ open }) => {
  const { call, page, report, t } = await site(open, "phone", "es");
  const below = await readMachine(call, "Below", 1000);
  const jump = await readMachine(call, "Jump", 4800);
  const wrong = await readMachine(call, "Wrong", 7000);
  await readMachine(call, "Right", 300);
  const dead = await readMachine(call, "Dead meter", 5000);
  const round = await readMachine(call, "Old truck", 99_990, { unit: "miles" });
  const twice = await readMachine(call, "Twice", 50);
  await report(below, { newUsage: 904.5 });
  await report(jump, { newUsage: 48_085 });
  await report(wrong, { newUsage: 304 });
  await report(dead, { newUsage: 12.5 });
  await report(round, { newUsage: 25 });
  await report(twice, { newUsage: 54, fuelAdded: 9 });
  await report(twice, { newUsage: 54, fuelAdded: 9 });

  await page.goto("/review");
  await expect(page).toHaveTitle(`${t("shell.titles.review")} - ${t("shell.titleSuffix")}`);
  await expect(page.getByText(t("review.flagged_other", { count: 6 }))).toBeVisible();

  // Accept the reading unchanged.
  const first = rowWith(page, "904.5");
  const figures = { amount: "95.5 h", meter: "1,000" };
  await expect(first.getByText(t("review.flags.belowMeter", figures))).toBeVisible();
  await first
    .getByRole("button", { name: t("review.act.setBack", { reading: "904.5 h" }), exact: true })
    .click();
  await page
    .getByRole("alertdialog")
    .getByRole("button", { name: t("review.lower.submit") })
    .click();
  await expect(first).toContainText(t("updates.status.applied"));
  await expect(first).toBeHidden();
  expect(await equipmentNamed(call, "Below")).toMatchObject({ meterReading: 904.5 });

  // Correct the value.
  await choose(page, rowWith(page, "48,085"), t("review.act.correct"));
  const field = page.getByLabel(new RegExp(`^${t("review.correct.label", { name: "Jump" })}`));
  await expect(field).toHaveValue("48085");
  await expect(field).toBeFocused();
  await field.fill("4,808.5");
  await field.press("Enter");
  await expect(rowWith(page, "48,085")).toBeHidden();
  expect(await equipmentNamed(call, "Jump")).toMatchObject({ meterReading: 4808.5 });

  // Other machine: the one whose meter fits is offered first.
  await choose(page, rowWith(page, hours(304)), t("review.act.move"));
  const move = page.getByRole("dialog", { name: t("review.move.title") });
  const fits = move.getByRole("group", { name: t("review.move.fits") });
  await fits.getByText("Right", { exact: true }).click();
  await move.getByRole("button", { name: t("review.move.submit") }).click();
  await expect(move).toBeHidden();
  await expect(rowWith(page, hours(304))).toContainText(
    t("review.decided.appliedTo", { name: "Right" }),
  );
  expect(await updatesOf(call, "Right")).toMatchObject([
    { status: "applied", reportedEquipmentName: "Wrong", appliedUsage: 304 },
  ]);
  expect(await equipmentNamed(call, "Wrong")).toMatchObject({ meterReading: 7000 });

  // Meter replaced: life-to-date usage continues.
  await choose(page, rowWith(page, "12.5"), t("review.act.replaced"));
  const replaced = page.getByRole("dialog", { name: t("review.meter.titleReplaced") });
  await replaced.getByLabel(t("review.meter.final")).fill("5003");
  await expect(replaced.getByText(/5,015\.5/)).toBeVisible();
  await replaced.getByRole("button", { name: t("review.meter.submit") }).click();
  await expect(replaced).toBeHidden();
  expect(await equipmentNamed(call, "Dead meter")).toMatchObject({
    meterReading: 12.5,
    currentUsage: 5015.5,
  });

  // Meter rolled over.
  await choose(
    page,
    rowWith(page, "99,990").or(rowWith(page, "99,965")),
    t("review.act.rolledOver"),
  );
  const rolled = page.getByRole("dialog", { name: t("review.meter.titleRolledOver") });
  await expect(rolled.getByLabel(t("review.meter.highest"))).toHaveValue("100000");
  await rolled.getByRole("button", { name: t("review.meter.submitRolledOver") }).click();
  await expect(rolled).toBeHidden();
  expect(await equipmentNamed(call, "Old truck")).toMatchObject({
    meterReading: 25,
    currentUsage: 100_025,
  });

  // Reject with a suggested reason.
  const repeat = rowWith(page, t("review.flags.repeated"));
  await repeat.getByRole("button", { name: t("review.queue.reject"), exact: true }).click();
  const reject = page.getByRole("dialog", { name: t("review.reject.title") });
  await reject.getByRole("button", { name: t("review.reasons.duplicate") }).click();
  await reject.getByRole("button", { name: t("review.reject.submit") }).click();
  await expect(reject).toBeHidden();
  await expect(repeat).toBeHidden();
  const [second] = await updatesOf(call, "Twice");
  expect(second).toMatchObject({
    status: "rejected",
    rejectReason: t("review.reasons.duplicate"),
  });

  // An update without a flag.
  await rowWith(page, hours(54))
    .getByRole("button", { name: t("review.queue.apply") })
    .click();
  await expect(page.getByText(t("review.queue.empty"))).toBeVisible();
  expect(await equipmentNamed(call, "Twice")).toMatchObject({ meterReading: 54 });
});

test("many updates are applied together, on a desktop in en", async ({ open }) => {
  const { call, page, report, t } = await site(open, "desktop", "en");
  const loader = await readMachine(call, "Loader", 100);
  const crane = await readMachine(call, "Crane", 200);
  for (const usage of [101, 102, 103]) await report(loader, { newUsage: usage });
  for (const usage of [201, 202]) await report(crane, { newUsage: usage });
  await report(crane, { newUsage: 20 });
  await page.goto("/review");
  await selectAndApply(page, t);
  expect(await equipmentNamed(call, "Crane")).toMatchObject({ meterReading: 202 });

  await page.getByRole("button", { name: t("review.bulk.all", { total: 3 }) }).click();
  const question = page.getByRole("alertdialog");
  await question.getByRole("button", { name: t("review.all.submit") }).click();
  await expect(toast(page, t("review.summary.applied_other", { count: 3 }))).toBeVisible();
  await expect(
    page.getByRole("main").getByText(t("review.waiting_one", { count: 1 })),
  ).toBeVisible();
  await expect(rowWith(page, t("review.act.setBack", { reading: "20 h" }))).toHaveCount(1);
  expect(await equipmentNamed(call, "Loader")).toMatchObject({ meterReading: 103 });
});

/** Selects the crane's updates: the two without flags are applied, the third needs a value. */
async function selectAndApply(page: Page, t: Words) {
  await page.getByLabel(t("review.machine.select", { name: "Crane" })).check();
  const selected = t("review.bulk.selected_other", { count: 3 });
  await expect(page.getByText(selected, { exact: true })).toBeVisible();
  const apply = t("review.bulk.applyPart", { part: 2, total: 3 });
  await page.getByRole("button", { name: apply }).click();
  // Another row's flag has the meter in its text, but not in its name.
  const entry = page.getByRole("row").filter({ has: page.getByRole("button") });
  for (const reading of [201, 202]) {
    await expect(entry.and(page.getByRole("row", { name: hours(reading) }))).toBeHidden();
  }
}

test("a second click at the same place decides nothing, and a decision is listed", async ({
  open,
}) => {
  const { call, page, report, t } = await site(open, "desktop", "en");
  const loader = await readMachine(call, "Loader", 100);
  for (const usage of [101, 102]) await report(loader, { newUsage: usage });
  await page.goto("/review");
  const first = rowWith(page, hours(101));
  const button = first.getByRole("button", { name: t("review.queue.apply"), exact: true });
  const box = await button.boundingBox();
  const center = { x: (box?.x ?? 0) + (box?.width ?? 0) / 2, y: (box?.y ?? 0) + 12 };
  await page.mouse.click(center.x, center.y);
  await page.waitForTimeout(350);
  await page.mouse.click(center.x, center.y);
  await expect(first).toContainText(t("updates.status.applied"));
  await expect(first).toBeHidden();
  const states = (await updatesOf(call, "Loader")).map((row) => row.status);
  expect(states.toSorted()).toEqual(["applied", "pending"]);

  await page.getByRole("tab", { name: t("review.tabs.decided") }).click();
  await expect(page).toHaveURL(/tab=decided/);
  const decided = page.getByRole("list", { name: t("review.tabs.decided") });
  await decided.getByRole("button", { name: t("review.undo.action") }).click();
  await expect(page.getByText(t("review.decided.empty"), { exact: true })).toBeVisible();
  expect(await equipmentNamed(call, "Loader")).toMatchObject({ meterReading: 100 });
});

test("updates can be reviewed with the keyboard", async ({ open }) => {
  const { call, page, report, t } = await site(open, "desktop", "en");
  const loader = await readMachine(call, "Loader", 100);
  const crane = await readMachine(call, "Crane", 200);
  await report(crane, { newUsage: 20 });
  for (const usage of [101, 102, 103, 104, 105]) await report(loader, { newUsage: usage });
  await page.goto("/review");
  await expect(rowWith(page, hours(105))).toBeVisible();

  await page.keyboard.press("?");
  const keys = page.getByRole("dialog", { name: t("commands.keys.title") });
  await expect(keys).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(keys).toBeHidden();

  // The flagged update comes first and is corrected in place.
  await page.keyboard.press("j");
  await expect(rowWith(page, hours(20))).toBeFocused();
  await page.keyboard.press("e");
  await page.keyboard.type("203");
  await page.keyboard.press("Enter");
  // The next row has focus.
  await expect(rowWith(page, hours(101))).toBeFocused();
  await page.keyboard.press("a");
  await expect(rowWith(page, hours(102))).toBeFocused();
  await page.keyboard.press("r");
  const reject = page.getByRole("dialog", { name: t("review.reject.title") });
  await expect(reject.getByRole("textbox")).toBeFocused();
  await page.keyboard.type("a wrong one");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await expect(rowWith(page, hours(103))).toBeFocused();
  await page.keyboard.press("x");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Shift+X");
  await expect(page.getByText(t("review.bulk.selected_other", { count: 2 }))).toBeVisible();
  await page.keyboard.press("Shift+A");
  const question = page.getByRole("alertdialog");
  await expect(question).toBeVisible();
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await expect(page.getByText(t("review.queue.empty"))).toBeVisible();
  expect(await equipmentNamed(call, "Loader")).toMatchObject({ meterReading: 105 });
  expect(await equipmentNamed(call, "Crane")).toMatchObject({ meterReading: 203 });
  expect((await updatesOf(call, "Loader")).map((row) => row.status)).toContain("rejected");
});
