import { expect } from "@playwright/test";
import { test, type Open } from "./fixtures";
import { caller, company, machine, operator, operatorIn, unique } from "./people";
import { words } from "./words";

const t = words("en");
/** Longer than an update takes: the test is that the page needs no reload. */
const soon = { timeout: 15_000 };

async function site(open: Open) {
  const office = await open("desktop", "en");
  const { call } = await company(office, unique("Live Works"));
  const username = await operator(call);
  const excavator = await machine(call, "Excavator", { currentUsage: 1000 });
  const field = await open("phone", "es");
  await operatorIn(field, username);
  const report = (newUsage: number) =>
    caller(field)("POST", "/api/operator-updates", { equipmentId: excavator, newUsage });
  return { office, call, excavator, report };
}

test("updates appear in every tab automatically, and disappear when another tab decides", async ({
  open,
}) => {
  const { office, report } = await site(open);
  const review = await office.newPage();
  const dashboard = await office.newPage();
  await review.goto("/review");
  await dashboard.goto("/");
  await expect(review.getByText(t("review.queue.empty"))).toBeVisible();
  const card = dashboard.getByRole("region", { name: t("review.queue.title") });
  await expect(card.getByText(t("review.queue.empty"))).toBeVisible();

  await report(1008);
  await expect(review.getByText("1,008 hours")).toBeVisible(soon);
  await expect(card.getByText("1,008 hours")).toBeVisible(soon);
  await report(1012.5);
  await expect(review.getByText("1,012.5 hours")).toBeVisible(soon);
  await expect(card.getByText("1,012.5 hours")).toBeVisible(soon);

  await card
    .getByRole("button", { name: t("review.queue.apply"), exact: true })
    .first()
    .click();
  await expect(review.getByText("1,008 hours", { exact: true })).toBeHidden(soon);
  await expect(review.getByText(/Shows 1,008 hours/)).toBeVisible(soon);
});

test("a meter that another user changes is updated on the dashboard", async ({ open }) => {
  const { office, call, excavator } = await site(open);
  const page = await office.newPage();
  await page.goto("/");
  await expect(page.getByText("1,000 hours").first()).toBeVisible();
  await call("PATCH", `/api/equipment/${excavator}/usage`, { usageIncrease: 234 });
  await expect(page.getByText("1,234 hours").first()).toBeVisible(soon);
});

test("a lost connection is reported after a while, and the page catches up when it returns", async ({
  open,
}) => {
  const { office, report } = await site(open);
  const page = await office.newPage();
  await page.goto("/review");
  await expect(page.getByText(t("review.queue.empty"))).toBeVisible();
  await report(1008);
  await expect(page.getByText("1,008 hours")).toBeVisible(soon);

  await office.setOffline(true);
  await report(1016);
  const paused = page.getByText(t("live.paused"));
  await expect(paused).toBeVisible({ timeout: 30_000 });
  await expect(page.getByText("1,008 hours")).toBeVisible();
  await expect(page.getByText("1,016 hours")).toBeHidden();

  await office.setOffline(false);
  await expect(page.getByText("1,016 hours")).toBeVisible({ timeout: 30_000 });
  await expect(paused).toBeHidden({ timeout: 30_000 });
});

test("the navigation counts pending updates without a reload", async ({ open }) => {
  const { office, report } = await site(open);
  const page = await office.newPage();
  await page.goto("/equipment-list");
  await expect(page.getByText("Excavator").first()).toBeVisible();
  await report(1008);
  const link = page.getByRole("navigation").getByRole("link", { name: t("shell.titles.review") });
  await expect(link.getByText(t("updates.badge_one", { count: 1 }))).toBeVisible(soon);
});
