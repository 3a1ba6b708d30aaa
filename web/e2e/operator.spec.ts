import { expect, test, type Browser, type BrowserContext, type Page } from "@playwright/test";
import {
  company,
  machine,
  open,
  operator,
  operatorIn,
  rows,
  toast,
  unique,
  watch,
  type Call,
} from "./people";
import { words } from "./words";

const es = words("es");

let office: BrowserContext;
let call: Call;
let username: string;

test.beforeAll(async ({ browser }) => {
  office = await open(browser, "desktop", "en");
  ({ call } = await company(office, unique("Field Works")));
  await machine(call, "Excavator");
  await machine(call, "Generator", { fuelType: "gasoline" });
  username = await operator(call);
});

async function fieldPage(browser: Browser) {
  const context = await open(browser, "phone", "es");
  await operatorIn(context, username);
  const page = await context.newPage();
  await page.goto("/");
  return { context, page, complaints: watch(page) };
}

async function choose(page: Page, name: string) {
  await page.getByRole("button", { name: new RegExp(es("operator.form.equipment")) }).click();
  const sheet = page.getByRole("dialog", { name: es("operator.picker.choose") });
  await sheet
    .getByRole("button", { name: new RegExp(name) })
    .first()
    .click();
  await expect(sheet).toBeHidden();
}

async function report(page: Page, name: string, reading: string) {
  await choose(page, name);
  await page.getByLabel(es("operator.form.readingHours")).fill(reading);
  await page.getByRole("button", { name: es("operator.form.submit"), exact: true }).click();
}

test("each problem stands at its field with its title", async ({ browser }) => {
  const { context, page, complaints } = await fieldPage(browser);
  const send = page.getByRole("button", { name: es("operator.form.submit"), exact: true });
  const title = (key: string) => page.getByText(es(`operator.errors.${key}`).split("\n")[0] ?? "");
  await send.click();
  await expect(title("noEquipment")).toBeVisible();
  await expect(title("noInformation")).toBeVisible();
  await choose(page, "Excavator");
  await page.getByLabel(es("operator.form.readingHours")).fill("mil");
  await page.getByLabel(es("operator.form.fuel"), { exact: false }).last().fill("-2");
  await send.click();
  await expect(title("invalidUsage")).toBeVisible();
  await expect(title("invalidFuel")).toBeVisible();
  await expect(title("noEquipment")).toBeHidden();
  expect(complaints).toEqual([]);
  await context.close();
});

test("what is reported without a connection is sent once when it is back", async ({ browser }) => {
  const { context, page } = await fieldPage(browser);
  const before = (await rows(call, "/api/operator-updates")).length;
  await expect(page.getByText(es("operator.outbox.allSent"))).toBeVisible();
  await choose(page, "Generator");
  await context.setOffline(true);
  await page.getByLabel(es("operator.form.readingHours")).fill("1004");
  await page.getByRole("button", { name: es("operator.form.submit"), exact: true }).click();
  await expect(toast(page, es("operator.toast.queued"))).toBeVisible();
  await expect(page.getByText(es("operator.outbox.waiting_one", { count: 1 }))).toBeVisible();
  await expect(page.getByText(es("operator.outbox.waitingState")).first()).toBeVisible();

  await context.setOffline(false);
  await expect(page.getByText(es("operator.outbox.allSent"))).toBeVisible();
  await expect(page.getByText(es("updates.status.pending")).first()).toBeVisible();
  await page.reload();
  await expect(page.getByText(es("operator.outbox.allSent"))).toBeVisible();
  const sent = await rows(call, "/api/operator-updates");
  expect(sent.length).toBe(before + 1);
  expect(sent[0]).toMatchObject({ newUsage: 1004, status: "pending" });
  await context.close();
});

test("a reading below the meter is asked about, sent as it is, and decided by the manager", async ({
  browser,
}) => {
  const { context, page } = await fieldPage(browser);
  await report(page, "Excavator", "15");
  const question = page.getByRole("dialog", { name: es("operator.check.belowTitle") });
  await question.getByRole("button", { name: es("operator.check.asItIs") }).click();
  await expect(toast(page, es("operator.toast.submitted"))).toBeVisible();
  const [sent] = await rows(call, "/api/operator-updates");
  expect(sent).toMatchObject({ newUsage: 15, status: "pending", flags: ["below_meter"] });

  await call("POST", `/api/operator-updates/${String(sent?.id)}/apply`, { newUsage: 15 });
  await page.getByRole("button", { name: es("operator.list.refresh") }).click();
  await expect(page.getByText(es("updates.status.applied"), { exact: true }).first()).toBeVisible();
  const machines = await rows(call, "/api/equipment?search=Excavator");
  expect(machines[0]).toMatchObject({ currentUsage: 15 });
  await context.close();
});

test("operators see their own screen on every path", async ({ browser }) => {
  const { context, page } = await fieldPage(browser);
  for (const path of [
    "/",
    "/employees",
    "/add-equipment",
    "/security-questions",
    "/login",
    "/nope",
  ]) {
    await page.goto(path);
    const heading = page.getByRole("heading", { level: 1 });
    await expect(heading).toHaveText(es("shell.titles.equipmentUpdates"));
    await expect(page.getByRole("link", { name: es("operators.title") })).toHaveCount(0);
  }
  await context.close();
});
