import { expect } from "@playwright/test";
import { test } from "./fixtures";
import { caller, company, machine, operator, operatorIn, rows, unique } from "./people";
import { words } from "./words";

const t = words("en");

test("an owner is notified of a flagged update without a reload, and opens it", async ({
  open,
}) => {
  const office = await open("desktop", "en");
  const { call } = await company(office, unique("Bell Works"));
  const username = await operator(call);
  const excavator = await machine(call, "Excavator", { currentUsage: 4799 });
  await call("PATCH", `/api/equipment/${excavator}/usage`, { currentUsage: 4800 });
  const field = await open("phone", "es");
  await operatorIn(field, username);

  const page = await office.newPage();
  const live = page.waitForResponse(/EventsService\/Watch/);
  await page.goto("/equipment-list");
  const title = t("shell.titles.notifications");
  const bell = (name: string) => page.getByRole("link", { name, exact: true });
  await expect(bell(title)).toBeVisible();
  await live;
  const update = { equipmentId: excavator, newUsage: 48_085 };
  await caller(field)("POST", "/api/operator-updates", update);
  await expect(bell(`${title} 1`)).toBeVisible({ timeout: 5_000 });

  await bell(`${title} 1`).click();
  await expect(page).toHaveTitle(`${title} - ${t("shell.titleSuffix")}`);
  await page
    .getByRole("main")
    .getByRole("link", { name: /Excavator/ })
    .click();
  await expect(page).toHaveURL(/\/review\?update=/);
  await expect(bell(title)).toBeVisible();

  const row = page.getByRole("row").filter({ hasText: "48,085" });
  await row.getByRole("button", { name: t("review.queue.reject"), exact: true }).click();
  const reject = page.getByRole("dialog", { name: t("review.reject.title") });
  await reject.getByRole("button", { name: t("review.reasons.typingError") }).click();
  await reject.getByRole("button", { name: t("review.reject.submit") }).click();
  await expect(row).toBeHidden();
  // Behind the open dialog, rows have no role.
  await expect
    .poll(() => rows(call, "/api/operator-updates"))
    .toMatchObject([{ status: "rejected", rejectReason: t("review.reasons.typingError") }]);
});
