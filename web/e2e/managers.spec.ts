import { expect, type Page } from "@playwright/test";
import { test } from "./fixtures";
import {
  manager,
  caller,
  company,
  operator,
  ownerPassword,
  rows,
  send,
  toast,
  unique,
  type Call,
  operatorPassword,
} from "./people";
import { storedData } from "./stored";
import { words, type Words } from "./words";

const en = words("en");
const es = words("es");
const managerPassword = "trench-box-2208";

const managersOf = async (call: Call) =>
  (await rows(call, "/api/employees")).filter(({ role }) => role === "manager");

async function signIn(page: Page, t: Words, name: string, password: string) {
  await page.getByLabel(t("auth.ownerLogin.name")).fill(name);
  await page.getByLabel(t("auth.password"), { exact: true }).fill(password);
  await page.getByRole("button", { name: t("auth.ownerLogin.submit") }).click();
}

async function fillManager(page: Page, firstName: string, lastName: string, email: string) {
  const form = page.getByRole("dialog", { name: en("operators.managers.add") });
  await form.getByLabel(en("operators.form.firstName")).fill(firstName);
  await form.getByLabel(en("operators.form.lastName")).fill(lastName);
  await form.getByLabel(en("operators.managers.email")).fill(email);
  await form.getByRole("button", { name: en("operators.managers.add") }).click();
  return form;
}

test("the owner adds a manager, whose temporary password is shown once", async ({ open }) => {
  const t = en;
  const context = await open("desktop", "en");
  const { email: ownerEmail, call } = await company(context, unique("Boss Works"));
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  const page = await context.newPage();
  await page.goto("/employees");
  await page.getByRole("button", { name: t("operators.managers.add") }).click();
  const email = `tomas.${ownerEmail}`;
  const form = await fillManager(page, "Tomás", "Vega", ownerEmail.toUpperCase());
  const address = form.getByLabel(t("operators.managers.email"));
  await expect(address).toHaveAccessibleDescription(new RegExp(t("operators.managers.emailTaken")));
  await expect(address).toBeFocused();
  expect(await managersOf(call)).toEqual([]);

  const answer = page.waitForResponse(/AccountsService\/CreateManager$/);
  await fillManager(page, "Tomás", "Vega", email);
  expect((await answer).headers()["cache-control"]).toBe("no-store");
  const added = page.getByRole("dialog", {
    name: t("operators.managers.added"),
  });
  const secret = (await added.getByRole("definition").last().locator("span").textContent()) ?? "";
  expect(secret.length).toBeGreaterThanOrEqual(12);
  await page.keyboard.press("Escape");
  await expect(added.getByText(t("operators.managers.notCopied"))).toBeVisible();
  await added.getByRole("button", { name: t("operators.managers.copy") }).click();
  await expect(added.getByText(t("operators.managers.notCopied"))).toBeHidden();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(secret);
  await added.getByRole("button", { name: t("operators.managers.finish") }).click();
  await expect(added).toBeHidden();

  const row = page.getByRole("row").filter({ hasText: email });
  await expect(row).toContainText("Tomás Vega");
  await expect(row).toContainText(t("common.roles.manager"));
  expect(await page.content()).not.toContain(secret);
  expect(JSON.stringify(await storedData(page))).not.toContain(secret);
  const stored = await managersOf(call);
  expect(stored).toMatchObject([{ firstName: "Tomás", lastName: "Vega", email }]);
  expect(JSON.stringify(stored)).not.toContain(secret);
  const login = { emailOrBusinessName: email, password: secret };
  const elsewhere = await open("desktop", "en");
  expect(await caller(elsewhere)("POST", "/api/auth/login", login)).toMatchObject({
    role: "manager",
  });
});

test("a manager sees a request to choose a password, and changes it", async ({ open }) => {
  const t = es;
  const office = await open("desktop", "en");
  const { email: ownerEmail, call } = await company(office, unique("Notice Works"));
  const email = `tomas.${ownerEmail}`;
  const { temporaryPassword } = await manager(call, email);

  const context = await open("phone", "es");
  const page = await context.newPage();
  await page.goto("/login");
  await signIn(page, t, email, temporaryPassword);
  const notice = page.getByRole("status").filter({ hasText: t("notices.passwordSet.title") });
  await expect(notice.getByText(t("notices.passwordSet.text"))).toBeVisible();
  const user = () => caller(context)("GET", "/api/auth/user");
  expect(await user()).toMatchObject({
    role: "manager",
    notices: [{ kind: "password_set_by_owner" }],
  });
  await notice.getByRole("link", { name: t("notices.passwordSet.action") }).click();
  await expect(page).toHaveURL("/profile");
  const title = t("notices.passwordSet.title");
  const answer = page.waitForResponse(/AccountsService\/DismissNotice$/);
  await notice.getByRole("button", { name: t("notices.dismiss", { title }) }).click();
  await answer;
  await expect(notice).toHaveCount(0);
  expect(await user()).toMatchObject({ notices: [] });
  await page.reload();
  await page.getByRole("button", { name: t("profile.password.open") }).click();
  await expect(notice).toHaveCount(0);
  const field = (name: string) => page.getByLabel(t(`profile.password.${name}`), { exact: true });
  await field("current").fill(temporaryPassword);
  await field("new").fill(managerPassword);
  await field("confirm").fill(managerPassword);
  await page.getByRole("button", { name: t("profile.password.submit") }).click();
  await expect(toast(page, t("profile.password.done"))).toBeVisible();

  const elsewhere = await open("phone", "es");
  const login = (password: string) =>
    send(elsewhere, "POST", "/api/auth/login", {
      emailOrBusinessName: email,
      password,
    });
  expect((await login(temporaryPassword)).status()).toBe(401);
  expect((await login(managerPassword)).status()).toBe(200);
});

test("a manager can do everything except manage managers, act as owner and read the log", async ({
  open,
}) => {
  const t = en;
  const office = await open("desktop", "en");
  const { email: ownerEmail, call } = await company(office, unique("Limits Works"));
  const colleague = await manager(call, `other.${ownerEmail}`, "Rita");
  const { temporaryPassword } = await manager(call, `tomas.${ownerEmail}`);
  await operator(call);

  const context = await open("desktop", "en");
  const own = caller(context);
  const login = {
    emailOrBusinessName: `tomas.${ownerEmail}`,
    password: temporaryPassword,
  };
  await own("POST", "/api/auth/login", login);
  const page = await context.newPage();
  await page.goto("/employees");
  const table = page.getByRole("table", {
    name: t("operators.managers.heading"),
  });
  await expect(table.getByRole("row").filter({ hasText: ownerEmail })).toHaveCount(3);
  await expect(table.getByRole("button")).toHaveCount(0);
  await expect(page.getByText(t("operators.managers.textManager"))).toBeVisible();
  await expect(page.getByRole("button", { name: t("operators.managers.add") })).toHaveCount(0);
  await expect(
    page.getByRole("button", {
      name: t("operators.remove.name", { name: "María Salazar" }),
    }),
  ).toBeVisible();

  const people = await rows(own, "/api/employees");
  const owner = people.find(({ role }) => role === "owner");
  const refused = async (method: string, path: string, body?: object) => {
    const answer = await send(context, method, path, body);
    expect(answer.status(), `${method} ${path}`).toBe(403);
  };
  const tina = {
    firstName: "Tina",
    lastName: "Ray",
    role: "manager",
    email: `t.${ownerEmail}`,
  };
  await refused("POST", "/api/employees", tina);
  await refused("DELETE", `/api/employees/${colleague.id}`);
  await refused("DELETE", `/api/employees/${String(owner?.id)}`);
  const newPassword = "takes-the-company-1";
  await refused("POST", "/api/admin/reset-user-password", {
    targetUserId: owner?.id,
    newPassword,
  });
  await refused("GET", "/api/audit-log");
  expect(await rows(own, "/api/employees")).toEqual(people);
  const again = { emailOrBusinessName: ownerEmail, password: ownerPassword };
  await call("POST", "/api/auth/login", again);

  await page.goto("/audit-log");
  await expect(page.getByRole("heading", { level: 1 })).toHaveText(t("shell.notFound.title"));
  await expect(page.getByRole("link", { name: t("shell.titles.auditLog") })).toHaveCount(0);
  await page.goto("/");
  await page.getByRole("button", { name: t("admin-tools.open") }).click();
  const options = page.getByLabel(t("admin-tools.user")).getByRole("option");
  await expect(options.filter({ hasText: "Rita Vega" })).toHaveCount(1);
  await expect(options.filter({ hasText: t("common.roles.owner") })).toHaveCount(0);
});

test("a removed manager is signed out with the next action", async ({ open }) => {
  const t = en;
  const office = await open("desktop", "en");
  const { email: ownerEmail, call } = await company(office, unique("Farewell Works"));
  const email = `tomas.${ownerEmail}`;
  const { temporaryPassword } = await manager(call, email);
  await call("POST", "/api/company-settings", { masterPassword: operatorPassword });
  const context = await open("phone", "es");
  const login = { emailOrBusinessName: email, password: temporaryPassword };
  await caller(context)("POST", "/api/auth/login", login);
  const phone = await context.newPage();
  // Otherwise the live stream could reveal the end of the session before the action.
  await phone.route(/EventsService\/Watch/, (route) => route.abort());
  await phone.goto("/employees");
  await phone
    .getByRole("button", { name: es("operators.form.add"), exact: true })
    .first()
    .click();
  const form = phone.getByRole("dialog", { name: es("operators.form.add") });
  await form.getByLabel(es("operators.form.firstName")).fill("Ghost");
  await form.getByLabel(es("operators.form.lastName")).fill("Operator");

  const page = await office.newPage();
  await page.goto("/employees");
  const name = "Tomás Vega";
  await page.getByRole("button", { name: t("operators.remove.name", { name }) }).click();
  const sure = page.getByRole("alertdialog", {
    name: t("operators.remove.sure", { name }),
  });
  await sure.getByRole("button", { name: t("operators.managers.remove") }).click();
  await expect(toast(page, t("operators.managers.removed"))).toBeVisible();
  await expect(page.getByRole("row").filter({ hasText: email })).toHaveCount(0);

  await form.getByRole("button", { name: es("operators.form.add") }).click();
  await expect(phone.getByRole("heading", { name: es("auth.ended.title") })).toBeVisible();
  expect((await send(context, "GET", "/api/auth/user")).status()).toBe(401);
  await phone.getByLabel(es("auth.password"), { exact: true }).fill(temporaryPassword);
  await phone.getByRole("button", { name: es("auth.ownerLogin.submit") }).click();
  await expect(phone.getByText(es("refusals.SIGN_IN_REFUSED")).first()).toBeVisible();
  const people = await rows(call, "/api/employees");
  expect(people.map(({ role }) => role)).toEqual(["owner"]);
});
