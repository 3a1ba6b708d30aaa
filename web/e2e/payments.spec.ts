import { expect, type Page } from "@playwright/test";
import { test, type Open, type Screen } from "./fixtures";
import * as v from "valibot";
import {
  buy,
  caller,
  company,
  machine,
  operator,
  operatorIn,
  rows,
  send,
  toast,
  unique,
  type Call,
  type Tier,
} from "./people";
import { words, type Language, type Words } from "./words";

// Plans and payments over the built-in provider, whose clock the tests move.

const infoSchema = v.object({
  tier: v.string(),
  status: v.string(),
  hasActiveSubscription: v.boolean(),
  canAccessFuelAnalytics: v.boolean(),
});
const info = async (call: Call) => v.parse(infoSchema, await call("GET", "/api/subscription/info"));

/** The owner of a new company, in a trial. */
async function office(open: Open, screen: Screen, language: Language) {
  const context = await open(screen, language);
  const { call } = await company(context, unique("Pay Works"));
  const page = await context.newPage();
  return { context, call, page, t: words(language) };
}

async function subscriptionPage(page: Page, t: Words) {
  await page.goto("/subscription");
  const title = page.getByRole("heading", { level: 1, name: t("shell.titles.subscription") });
  await expect(title).toBeVisible();
}

const press = (page: Page, name: string) =>
  page.getByRole("button", { name, exact: true }).first().click();

const answer = (page: Page, name: string) =>
  page.getByRole("alertdialog").getByRole("button", { name, exact: true }).click();

/** The badge beside the plan. */
const standing = (page: Page, t: Words, status: string) =>
  expect(page.getByText(t(`subscription.status.${status}`), { exact: true }).first()).toBeVisible();

const planName = (t: Words, tier: Tier) => t(`plans.${tier}.name`);

/** Moves the clock to the next event; the first move asks for confirmation. */
async function moveTo(page: Page, t: Words, event: string) {
  const text = t("sandbox.clock.toEvent", { event: t(`sandbox.clock.events.${event}`), date: "" });
  await page.getByRole("button", { name: text.trim() }).click();
  const confirm = page.getByRole("alertdialog").getByRole("button", {
    name: t("sandbox.clock.confirm"),
    exact: true,
  });
  const moved = toast(page, t("sandbox.clock.moved"));
  await expect(confirm.or(moved)).toBeVisible();
  if (await confirm.isVisible()) await confirm.click();
  await expect(moved).toBeVisible();
}

/** Opens the checkout of a plan from the subscription page. */
async function toCheckout(page: Page, t: Words, tier: Tier) {
  await press(page, t("subscription.checkout.start", { plan: planName(t, tier) }));
  const title = t("sandbox.checkout.subscribe", { plan: planName(t, tier) });
  await expect(page.getByRole("heading", { level: 1, name: title })).toBeVisible();
}

test("a checkout is left, declined and paid, on a desktop in en", async ({ open }) => {
  const { call, page, t } = await office(open, "desktop", "en");
  await subscriptionPage(page, t);
  await toCheckout(page, t, "professional");
  await press(page, t("sandbox.checkout.back"));
  await expect(toast(page, t("subscription.return.canceled"))).toBeVisible();
  await expect(page).toHaveURL("/subscription");
  await standing(page, t, "trial");

  await toCheckout(page, t, "professional");
  await expect(page.getByText(t("sandbox.checkout.testText"))).toBeVisible();
  await expect(page.getByRole("navigation")).toHaveCount(0);
  await press(page, t("sandbox.checkout.decline"));
  await expect(page.getByRole("alert")).toContainText(t("sandbox.checkout.declined"));
  expect(await info(call)).toMatchObject({ status: "trial", canAccessFuelAnalytics: false });

  await press(page, t("sandbox.checkout.start"));
  await expect(toast(page, t("subscription.return.success"))).toBeVisible();
  await expect(page).toHaveURL("/subscription");
  await standing(page, t, "active");
  expect(await info(call)).toMatchObject({
    tier: "professional",
    status: "active",
    canAccessFuelAnalytics: true,
  });
  await page.goto("/");
  await expect(page.getByRole("heading", { name: t("fuel.title") })).toBeVisible();
  await expect(page.getByText(t("fuel.upgradeText"))).toHaveCount(0);
});

test("a plan is upgraded, paused, and resumes on time, on a phone in es", async ({ open }) => {
  const { context, call, page, t } = await office(open, "phone", "es");
  await buy(call, "professional");
  await subscriptionPage(page, t);
  await press(page, t("subscription.change.toUpgrade", { plan: planName(t, "enterprise") }));
  // The trial is still running.
  const [nothingBefore] = t("subscription.change.todayTrial", { date: "@" }).split("@");
  await expect(page.getByRole("alertdialog")).toContainText(nothingBefore ?? "");
  await answer(page, t("subscription.change.upgrade"));
  await expect(toast(page, t("subscription.change.done"))).toBeVisible();
  expect(await info(call)).toMatchObject({ tier: "enterprise", status: "active" });

  await press(page, t("subscription.pause.action"));
  await answer(page, t("subscription.pause.confirm_other", { count: 3 }));
  await expect(toast(page, t("subscription.pause.done"))).toBeVisible();
  await standing(page, t, "paused");
  const refused = await send(context, "POST", "/api/equipment", { name: "Loader" });
  expect(refused.status()).toBe(402);
  await page.goto("/equipment-list");
  await expect(page.getByText(t("subscription.banner.off"))).toBeVisible();

  await subscriptionPage(page, t);
  await moveTo(page, t, "pauseEnd");
  await standing(page, t, "active");
  await expect(page.getByText(t("subscription.banner.off"))).toHaveCount(0);
  expect(await info(call)).toMatchObject({ tier: "enterprise", status: "active" });
  await machine(call, "Loader");
});

test("a plan is canceled, reactivated, canceled and ends, on a desktop in en", async ({ open }) => {
  const { call, page, t } = await office(open, "desktop", "en");
  await buy(call, "basic", "year");
  await subscriptionPage(page, t);
  await press(page, t("subscription.cancel.action"));
  const question = page.getByRole("alertdialog");
  for (const text of ["billing", "data", "operators", "back"]) {
    await expect(question).toContainText(t(`subscription.cancel.${text}`));
  }
  await answer(page, t("subscription.cancel.keep"));
  await expect(question).toBeHidden();
  expect(await info(call)).toMatchObject({ status: "active" });

  await press(page, t("subscription.cancel.action"));
  await answer(page, t("subscription.cancel.action"));
  await expect(toast(page, t("subscription.cancel.done"))).toBeVisible();
  expect(await info(call)).toMatchObject({ status: "canceled", hasActiveSubscription: true });
  await press(page, t("subscription.reactivate.keepAction"));
  await answer(page, t("subscription.reactivate.keepAction"));
  await expect(toast(page, t("subscription.reactivate.kept"))).toBeVisible();
  expect(await info(call)).toMatchObject({ status: "active" });

  await press(page, t("subscription.cancel.action"));
  await answer(page, t("subscription.cancel.action"));
  await standing(page, t, "canceled");
  await moveTo(page, t, "periodEnd");
  await expect(page.getByText(t("subscription.banner.off"))).toBeVisible();
  expect(await info(call)).toMatchObject({ status: "expired", hasActiveSubscription: false });
});

test("a trial ends, and a plan is bought, on a phone in es", async ({ open }) => {
  const { context, call, page, t } = await office(open, "phone", "es");
  const equipmentId = await machine(call, "Excavator");
  const username = await operator(call);
  await subscriptionPage(page, t);
  await moveTo(page, t, "trialEnd");
  await standing(page, t, "expired");

  const field = await open("phone", "es");
  await operatorIn(field, username);
  await caller(field)("POST", "/api/operator-updates", { equipmentId, newUsage: 1010 });
  for (const path of ["/", "/equipment-list", "/employees"]) {
    await page.goto(path);
    await expect(page.getByText(t("subscription.banner.off"))).toBeVisible();
  }
  await page.goto("/");
  const saved = page.waitForEvent("download");
  await press(page, t("equipment.export.button"));
  expect((await saved).suggestedFilename()).toBe("equipment-maintenance-report.csv");
  const [waiting] = await rows(call, "/api/operator-updates");
  expect(waiting).toMatchObject({ status: "pending" });
  const early = await send(context, "POST", `/api/operator-updates/${String(waiting?.id)}/apply`);
  expect(early.status()).toBe(402);

  await subscriptionPage(page, t);
  await toCheckout(page, t, "basic");
  await press(page, t("sandbox.checkout.pay", { amount: "$32.00" }));
  await standing(page, t, "active");
  await page.goto("/review");
  await press(page, t("review.queue.apply"));
  await expect(page.getByText(t("review.queue.empty")).first()).toBeVisible();
  expect((await rows(call, "/api/operator-updates"))[0]).toMatchObject({ status: "applied" });
});

test("more equipment than the plan allows is handled, on a desktop in en", async ({ open }) => {
  const { context, call, page, t } = await office(open, "desktop", "en");
  await buy(call, "professional");
  for (let number = 1; number <= 16; number += 1) await machine(call, `Loader ${number}`);
  await subscriptionPage(page, t);
  await press(page, t("subscription.change.toDowngrade", { plan: planName(t, "basic") }));
  const warning = t("subscription.tooSmall", { total: 16, limit: 15 });
  await expect(page.getByRole("alertdialog")).toContainText(warning);
  await answer(page, t("subscription.change.switch"));
  await expect(toast(page, t("subscription.change.done"))).toBeVisible();
  await expect(page.getByText(t("subscription.exceeded"))).toBeVisible();
  const refused = await send(context, "POST", "/api/equipment", {
    name: "Loader 17",
    type: "machinery",
    unit: "hours",
    fuelType: "diesel",
  });
  expect(refused.status()).toBe(403);
  expect(await refused.json()).toMatchObject({ code: "EQUIPMENT_LIMIT_REACHED" });
  await page.goto("/add-equipment");
  const blocked = t("equipment.limit.exceeded_other", { count: 15, total: 16 });
  await expect(page.getByText(blocked).first()).toBeVisible();
});

test("a renewal fails and the card is replaced, on a phone in es", async ({ open }) => {
  const { call, page, t } = await office(open, "phone", "es");
  await buy(call, "professional");
  await subscriptionPage(page, t);
  await press(page, t("subscription.portal.action"));
  await press(page, t("sandbox.portal.breakIt"));
  await expect(toast(page, t("sandbox.portal.nowDeclines"))).toBeVisible();
  await page.getByRole("link", { name: t("sandbox.backToSubscription") }).click();
  await moveTo(page, t, "renewal");
  await standing(page, t, "failed");
  expect(await info(call)).toMatchObject({ hasActiveSubscription: true });

  await press(page, t("subscription.portal.mend"));
  await expect(page.getByText(t("sandbox.portal.open"), { exact: true })).toBeVisible();
  await press(page, t("sandbox.portal.mend"));
  await expect(toast(page, t("sandbox.portal.nowWorks"))).toBeVisible();
  await expect(page.getByText(t("sandbox.portal.open"), { exact: true })).toHaveCount(0);
  await expect(page.getByText("$54.00")).toHaveCount(1);
  await page.getByRole("link", { name: t("sandbox.backToSubscription") }).click();
  await standing(page, t, "active");
});

test("support extends a trial and arranges a plan, and the owner reads by whom and why", async ({
  open,
  staff,
}) => {
  const t = words("en");
  const home = await open("desktop", "en");
  const business = unique("Agreed Works");
  const { call } = await company(home, business);
  // Billing creates a company's record with the first request for it.
  await info(call);
  const desk = await open("desktop", "en", { storageState: staff.state });
  const page = await desk.newPage();
  await page.goto(`/admin-accounts?search=${encodeURIComponent(business)}`);
  const dialog = page.getByRole("dialog");
  const agree = async (action: "trial" | "plan", days: string, reason: string) => {
    await press(page, t("admin-accounts.actions", { name: business }));
    await page.getByRole("menuitem", { name: t(`admin-accounts.${action}.action`) }).click();
    if (action === "plan") await dialog.getByText(planName(t, "enterprise")).click();
    await dialog.getByLabel(t(`admin-accounts.${action}.days`)).fill(days);
    await dialog.getByLabel(t("admin-accounts.reason.label")).fill(reason);
    const submit = t(`admin-accounts.${action}.submit`);
    await dialog.getByRole("button", { name: submit, exact: true }).click();
  };
  await agree("trial", "1", "Ticket 4711: asked for more time");
  await expect(dialog.getByText(t("refusals.TRIAL_ALREADY_LONGER")).first()).toBeVisible();
  await page.keyboard.press("Escape");
  await agree("trial", "60", "Ticket 4711: asked for more time");
  await expect(toast(page, t("admin-accounts.trial.done"))).toBeVisible();
  await agree("plan", "400", "Ticket 4712: paid by invoice");
  await expect(toast(page, t("admin-accounts.plan.done"))).toBeVisible();
  await expect(page.getByRole("row", { name: business })).toContainText(planName(t, "enterprise"));
  expect(await info(call)).toMatchObject({ tier: "enterprise", status: "active" });

  const log = await home.newPage();
  await log.goto("/audit-log?category=company");
  for (const reason of ["Ticket 4711: asked for more time", "Ticket 4712: paid by invoice"]) {
    await expect(log.getByText(t("audit-log.reason", { reason }))).toBeVisible();
  }
  const table = log.getByRole("table");
  await expect(table).toContainText("set the company's plan to Enterprise");
  await expect(table).toContainText("extended the company's free trial to 60 days from that day");
});
