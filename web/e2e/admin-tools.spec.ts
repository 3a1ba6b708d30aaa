import { expect, type Page } from "@playwright/test";
import { test, type Open } from "./fixtures";
import { company, operator, operatorPassword, send, toast, unique } from "./people";
import { words } from "./words";

const t = words("en");
const personal = "maria-only-4711";

async function office(open: Open) {
  const context = await open("desktop", "en");
  const { call } = await company(context, unique("Admin Works"));
  const username = await operator(call);
  const page = await context.newPage();
  await page.goto("/");
  await tools(page)
    .getByRole("button", { name: t("admin-tools.open") })
    .click();
  return { context, username, page };
}

const tools = (page: Page) =>
  page.locator("section", {
    has: page.getByRole("heading", { name: t("admin-tools.title"), exact: true }),
  });

async function fill(page: Page, username: string, password: string, confirmation = password) {
  const card = tools(page);
  await card
    .getByLabel(t("admin-tools.user"))
    .selectOption({ label: `María Salazar · Operator · ${username}` });
  await card.getByLabel(t("admin-tools.newPassword"), { exact: true }).fill(password);
  await card.getByLabel(t("admin-tools.confirmation"), { exact: true }).fill(confirmation);
}

const submit = (page: Page) =>
  tools(page)
    .getByRole("button", { name: t("admin-tools.submit") })
    .click();

/** Whether the operator can sign in with this password on another device. */
async function getsIn(open: Open, operatorName: string, password: string) {
  const field = await open("phone", "en");
  const answer = await send(field, "POST", "/api/employee/login", { operatorName, password });
  return answer.ok();
}

test("support sets an operator's own password and removes it again", async ({ open }) => {
  const { username, page } = await office(open);
  await fill(page, username, personal);
  await submit(page);
  await expect(toast(page, "Password Reset Successful")).toBeVisible();
  await expect(tools(page).getByLabel(t("admin-tools.newPassword"), { exact: true })).toHaveValue(
    "",
  );

  const field = await open("phone", "en");
  const phone = await field.newPage();
  await phone.goto("/employee-login");
  await phone.getByLabel(t("auth.operatorLogin.name")).fill(username);
  const password = phone.getByLabel(t("auth.password"), { exact: true });
  const signIn = phone.getByRole("button", { name: t("auth.operatorLogin.submit") });
  await password.fill(operatorPassword);
  await signIn.click();
  await expect(phone.getByRole("alert")).toContainText(t("auth.operatorLogin.failed"));
  await password.fill(personal);
  await signIn.click();
  await expect(
    phone.getByRole("heading", { level: 1, name: t("shell.titles.equipmentUpdates") }),
  ).toBeVisible();

  await tools(page)
    .getByLabel(t("admin-tools.user"))
    .selectOption({ label: `María Salazar · Operator · ${username}` });
  await tools(page)
    .getByRole("button", { name: t("admin-tools.shared.open") })
    .click();
  await page
    .getByRole("alertdialog", { name: t("admin-tools.shared.title") })
    .getByRole("button", { name: t("admin-tools.shared.confirm") })
    .click();
  await expect(
    page.getByText(t("admin-tools.shared.doneText", { name: "María Salazar" })).first(),
  ).toBeVisible();
  expect((await send(field, "GET", "/api/auth/user")).status()).toBe(401);
  expect(await getsIn(open, username, personal)).toBe(false);
  expect(await getsIn(open, username, operatorPassword)).toBe(true);
});
