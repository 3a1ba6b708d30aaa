import { expect, test, type Browser, type Page } from "@playwright/test";
import {
  company,
  open,
  operator,
  operatorPassword,
  ownerPassword,
  send,
  toast,
  unique,
  watch,
} from "./people";
import { words } from "./words";

const t = words("en");
const personal = "maria-only-4711";

async function office(browser: Browser) {
  const context = await open(browser, "desktop", "en");
  const { call } = await company(context, unique("Admin Works"));
  const username = await operator(call);
  const page = await context.newPage();
  const complaints = watch(page);
  await page.goto("/");
  return { context, username, page, complaints };
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

/** Whether the operator gets in with this password, on a device of their own. */
async function getsIn(browser: Browser, operatorName: string, password: string) {
  const field = await open(browser, "phone", "en");
  const answer = await send(field, "POST", "/api/employee/login", { operatorName, password });
  await field.close();
  return answer.ok();
}

test("the three refusals, in the documents' words", async ({ browser }) => {
  const { context, username, page, complaints } = await office(browser);
  const refused = async (title: string, text: string) => {
    await submit(page);
    const shown = page.getByRole("region", { name: /^Notifications/ }).getByRole("listitem");
    await expect(shown.getByText(title, { exact: true })).toBeVisible();
    await expect(shown.getByText(text, { exact: true })).toBeVisible();
  };
  await refused("User Required", t("admin-tools.userRequiredText"));
  await fill(page, username, "12345");
  await refused("Password Too Short", "Password must be at least 6 characters.");
  await fill(page, username, personal, "something-else");
  await refused("Password Mismatch", "Passwords do not match.");
  expect(await getsIn(browser, username, operatorPassword)).toBe(true);
  expect(await getsIn(browser, username, personal)).toBe(false);
  expect(complaints).toEqual([]);
  await context.close();
});

test("an operator gets a password of their own, and the shared one again", async ({ browser }) => {
  const { context, username, page, complaints } = await office(browser);
  await fill(page, username, personal);
  await submit(page);
  await expect(toast(page, "Password Reset Successful")).toBeVisible();
  await expect(tools(page).getByLabel(t("admin-tools.newPassword"), { exact: true })).toHaveValue(
    "",
  );

  const field = await open(browser, "phone", "en");
  const phone = await field.newPage();
  await phone.goto("/employee-login");
  await phone.getByLabel(t("auth.operatorLogin.name")).fill(username);
  const password = phone.getByLabel(t("auth.password"), { exact: true });
  const signIn = phone.getByRole("button", { name: t("auth.operatorLogin.submit") });
  await password.fill(operatorPassword);
  await signIn.click();
  await expect(toast(phone, t("auth.operatorLogin.failed"))).toBeVisible();
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
  expect(await getsIn(browser, username, personal)).toBe(false);
  expect(await getsIn(browser, username, operatorPassword)).toBe(true);
  expect(complaints).toEqual([]);
  await field.close();
  await context.close();
});

test("a sign-in that is too long ago is asked for again, and nothing typed is lost", async ({
  browser,
}) => {
  const { context, username, page, complaints } = await office(browser);
  // Half an hour is too long to wait for: the answer the server then gives is put in its place.
  let refusals = 2;
  await page.route("**/hourmeter.accounts.v1.AccountsService/ResetUserPassword", (route) => {
    refusals -= 1;
    return refusals < 0 ? route.continue() : route.fulfill(reauthRequired);
  });
  await fill(page, username, personal);
  await submit(page);
  const dialog = page.getByRole("dialog", { name: t("auth.reauth.title") });
  await dialog.getByRole("button", { name: t("common.cancel") }).click();
  await expect(dialog).toBeHidden();
  const typed = tools(page).getByLabel(t("admin-tools.newPassword"), { exact: true });
  await expect(typed).toHaveValue(personal);
  expect(await getsIn(browser, username, personal)).toBe(false);

  await submit(page);
  const password = dialog.getByLabel(t("auth.password"), { exact: true });
  const confirm = dialog.getByRole("button", { name: t("auth.reauth.submit") });
  await password.fill("not-the-password");
  await confirm.click();
  await expect(dialog.getByText(t("auth.reauth.wrong"))).toBeVisible();
  await password.fill(ownerPassword);
  await confirm.click();
  await expect(toast(page, "Password Reset Successful")).toBeVisible();
  expect(await getsIn(browser, username, personal)).toBe(true);
  expect(complaints).toEqual([]);
  await context.close();
});

/** A length-delimited field of a protobuf message. */
const field = (number: number, bytes: Buffer) =>
  Buffer.concat([Buffer.from([(number << 3) | 2, bytes.length]), bytes]);

/** A google.rpc.Status with the reason in an ErrorInfo, in the headers of a grpc-web answer. */
const reauthRequired = {
  status: 200,
  headers: {
    "content-type": "application/grpc-web+proto",
    "grpc-status": "7",
    "grpc-message": "Please confirm your password",
    "grpc-status-details-bin": Buffer.concat([
      Buffer.from([1 << 3, 7]),
      field(
        3,
        Buffer.concat([
          field(1, Buffer.from("type.googleapis.com/google.rpc.ErrorInfo")),
          field(2, field(1, Buffer.from("REAUTH_REQUIRED"))),
        ]),
      ),
    ]).toString("base64"),
  },
};
