import { expect, type Locator, type Page } from "@playwright/test";
import { test } from "./fixtures";
import { office, operatorsOf, expectToast } from "./crew";
import { ageSignIn, confirmPassword, reauthDialog } from "./old-sign-in";
import { operatorPassword, send, toast } from "./people";
import { words, type Words } from "./words";

const en = words("en");

const add = (page: Page, t: Words) =>
  page.getByRole("button", { name: t("operators.form.add"), exact: true }).first();

async function fillNames(dialog: Locator, t: Words, firstName: string, lastName: string) {
  await dialog.getByLabel(t("operators.form.firstName")).fill(firstName);
  await dialog.getByLabel(t("operators.form.lastName")).fill(lastName);
}

const settingsDialog = (page: Page, t: Words) =>
  page.getByRole("dialog", { name: t("operators.settings.open") });

test("an operator is added, copied, renamed and removed (desktop, en)", async ({ open }) => {
  const t = words("en");
  const { context, call, page } = await office(open, "desktop", "en");
  await call("POST", "/api/company-settings", {
    masterPassword: operatorPassword,
  });
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.goto("/employees");
  await expect(page.getByText(t("operators.empty.text"))).toBeVisible();

  await add(page, t).click();
  const form = page.getByRole("dialog", { name: t("operators.form.add") });
  await fillNames(form, t, " María José ", "Salazar");
  await form.getByRole("button", { name: t("operators.form.add") }).click();
  const done = page.getByRole("dialog", { name: t("operators.form.added") });
  await expect(done).toBeVisible();
  const [stored] = await operatorsOf(call);
  expect(stored).toMatchObject({
    firstName: "María José",
    lastName: "Salazar",
  });
  const username = String(stored?.operatorUsername);
  expect(username).toMatch(/^mariajose\d{4,}$/);
  await expectToast(page, t("operators.form.added"), t("operators.form.addedText", { username }));
  await done.getByRole("button", { name: t("operators.form.finish") }).click();
  await expect(
    page.getByRole("heading", {
      name: t("operators.heading_one", { count: 1 }),
    }),
  ).toBeVisible();

  const item = "row";
  const row = page.getByRole("main").getByRole(item).filter({ hasText: username });
  await expect(row).toContainText("María José Salazar");
  await row.getByRole("button", { name: t("operators.copy.label", { username }) }).click();
  await expect(toast(page, t("operators.copy.done"))).toBeVisible();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(username);

  const before = "María José Salazar";
  await row
    .getByRole("button", {
      name: t("operators.form.editName", { name: before }),
    })
    .click();
  const edit = page.getByRole("dialog", {
    name: t("operators.form.editTitle"),
  });
  await fillNames(edit, t, "Guadalupe", "O'Neil-Ríos");
  await edit.getByRole("button", { name: t("operators.form.save") }).click();
  await expect(toast(page, t("operators.form.updated"))).toBeVisible();
  const name = "Guadalupe O'Neil-Ríos";
  await expect(row).toContainText(name);
  expect(await operatorsOf(call)).toMatchObject([
    {
      firstName: "Guadalupe",
      lastName: "O'Neil-Ríos",
      operatorUsername: username,
    },
  ]);

  const remove = row.getByRole("button", {
    name: t("operators.remove.name", { name }),
  });
  const sure = page.getByRole("alertdialog", {
    name: t("operators.remove.sure", { name }),
  });
  await remove.click();
  await sure.getByRole("button", { name: t("common.cancel") }).click();
  await expect(sure).toBeHidden();
  expect(await operatorsOf(call)).toHaveLength(1);
  await remove.click();
  await sure.getByRole("button", { name: t("operators.remove.confirm") }).click();
  await expect(toast(page, t("operators.remove.done"))).toBeVisible();
  await expect(row).toHaveCount(0);
  await expect(page.getByText(t("operators.empty.text"))).toBeVisible();
  expect(await operatorsOf(call)).toEqual([]);
});

test("the operator password is set, needs a change after a removal, and is changed", async ({
  open,
}) => {
  const { business, call, page } = await office(open, "desktop", "en");
  const t = en;
  await page.goto("/employees");
  await page.getByRole("button", { name: t("operators.empty.setPassword") }).click();
  const dialog = settingsDialog(page, t).or(
    page.getByRole("dialog", { name: t("operators.empty.setPassword") }),
  );
  const password = dialog.getByLabel(t("operators.settings.operatorPassword"), {
    exact: true,
  });
  const save = dialog.getByRole("button", {
    name: t("operators.settings.submit"),
  });
  await ageSignIn(page, "UpdateCompanySettings");
  await password.fill(operatorPassword);
  await save.click();
  await reauthDialog(page, t)
    .getByRole("button", { name: t("common.cancel") })
    .click();
  await expect(password).toHaveValue(operatorPassword);
  expect(await call("GET", "/api/company-settings")).toMatchObject({
    masterPasswordSet: false,
  });
  await page.unrouteAll();
  await ageSignIn(page, "UpdateCompanySettings");
  await save.click();
  await confirmPassword(page, t);
  await expect(toast(page, t("operators.settings.done"))).toBeVisible();
  await expect(dialog).toBeHidden();
  const stored = () => call("GET", "/api/company-settings");
  expect(await stored()).toMatchObject({
    masterPassword: "********",
    masterPasswordSet: true,
    operatorPasswordStale: false,
    companyName: business,
  });

  const shared = async (secret: string) => {
    const field = await open("phone", "en");
    const answer = await send(field, "POST", "/api/employee/login", {
      operatorName: business,
      password: secret,
    });
    return answer.status();
  };
  expect(await shared(operatorPassword)).toBe(200);

  await call("POST", "/api/employees", { firstName: "Luis", lastName: "Peña" });
  await page.reload();
  await page
    .getByRole("button", {
      name: t("operators.remove.name", { name: "Luis Peña" }),
    })
    .click();
  await page.getByRole("button", { name: t("operators.remove.confirm") }).click();
  const warning = page.getByText(t("operators.settings.staleTitle"), {
    exact: true,
  });
  await expect(warning).toBeVisible();
  expect(await stored()).toMatchObject({ operatorPasswordStale: true });
  await page.reload();
  await expect(warning).toBeVisible();

  const next = "grader-blade-31";
  await page.getByRole("button", { name: t("operators.settings.changePassword") }).click();
  await password.fill(next);
  await save.click();
  await expect(warning).toBeHidden();
  expect(await stored()).toMatchObject({ operatorPasswordStale: false });
  expect(await shared(operatorPassword)).toBe(401);
  expect(await shared(next)).toBe(200);
});
