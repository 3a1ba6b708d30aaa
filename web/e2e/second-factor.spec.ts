import { expect, type BrowserContext, type Page } from "@playwright/test";
import { test } from "./fixtures";
import { company, manager, ownerPassword, send, toast, unique } from "./people";
import { code } from "./support-staff";
import { words, type Words } from "./words";

// The second factor of owners and managers: an authenticator app, recovery codes and passkeys, and
// a company that requires one.

const en = words("en");
const es = words("es");

/** Passkeys need a host name; the other specs use an IP address. */
function atName(baseURL: string | undefined, path: string): string {
  const url = new URL(path, baseURL);
  if (url.hostname === "127.0.0.1") url.hostname = "localhost";
  return url.href;
}

async function signIn(page: Page, t: Words, name: string, password = ownerPassword) {
  await page.getByLabel(t("auth.ownerLogin.name")).fill(name);
  await page.getByLabel(t("auth.password"), { exact: true }).fill(password);
  await submit(page, t);
}

const submit = (page: Page, t: Words) =>
  page.getByRole("button", { name: t("auth.ownerLogin.submit"), exact: true }).click();

const home = (page: Page, t: Words) =>
  expect(page).toHaveTitle(new RegExp(t("shell.titles.dashboard")));

async function logout(context: BrowserContext) {
  expect((await send(context, "POST", "/api/auth/logout")).ok()).toBe(true);
  await context.clearCookies();
}

/** Sets up an authenticator on the page; returns its secret and the recovery codes. */
async function setUpApp(page: Page, t: Words) {
  await page.getByRole("button", { name: t("second-factor.app.setUp"), exact: true }).click();
  const dialog = page.getByRole("dialog", { name: t("second-factor.app.dialog") });
  await expect(dialog.getByRole("img", { name: t("second-factor.app.qr") })).toBeVisible();
  const shown = dialog.getByText(/^([A-Z2-7]{4} ){7}[A-Z2-7]{4}$/);
  const secret = (await shown.innerText()).replaceAll(" ", "");
  await dialog.getByLabel(t("auth.ownerLogin.totp")).fill(code(secret));
  await dialog.getByRole("button", { name: t("second-factor.app.confirm") }).click();
  return { secret, codes: await keepCodes(page, t) };
}

/** Reads the recovery codes and closes them. */
async function keepCodes(page: Page, t: Words): Promise<string[]> {
  const dialog = page.getByRole("dialog", { name: t("second-factor.codes.shown") });
  await expect(dialog.getByRole("listitem")).toHaveCount(10);
  const codes = await dialog.getByRole("listitem").allInnerTexts();
  // Before they are saved, the first press only warns.
  await dialog.getByRole("button", { name: t("second-factor.codes.finish") }).click();
  await expect(dialog.getByText(t("second-factor.codes.notKept"))).toBeVisible();
  const downloading = page.waitForEvent("download");
  await dialog.getByRole("button", { name: t("second-factor.codes.download") }).click();
  expect((await downloading).suggestedFilename()).toBe(t("second-factor.codes.file"));
  await dialog.getByRole("button", { name: t("second-factor.codes.finish") }).click();
  await expect(dialog).toHaveCount(0);
  return codes;
}

/**
 * The code of the next half minute, because the current one is used; the server accepts it early.
 */
const nextCode = (secret: string) => code(secret, 1);

for (const [screen, language] of [
  ["desktop", "en"],
  ["phone", "es"],
] as const) {
  const t = words(language);

  test(`an authenticator and recovery codes sign in, on a ${screen} in ${language}`, async ({
    open,
  }) => {
    const context = await open(screen, language);
    const { email } = await company(context, unique("Two Step"));
    const page = await context.newPage();
    await page.goto("/profile");
    const { secret, codes } = await setUpApp(page, t);
    await expect(
      page.getByText(t("second-factor.codes.left_other", { count: 10 })).first(),
    ).toBeVisible();

    await logout(context);
    await page.goto("/login");
    await signIn(page, t, email);
    const field = page.getByLabel(t("auth.ownerLogin.totp"));
    await expect(field).toBeFocused();
    await field.fill("000000");
    await submit(page, t);
    await expect(page.getByText(t("auth.ownerLogin.totpWrong")).first()).toBeVisible();
    await field.fill(nextCode(secret));
    await submit(page, t);
    await home(page, t);

    // A recovery code works once.
    const [first = ""] = codes;
    for (const works of [true, false]) {
      await logout(context);
      await page.goto("/login");
      await signIn(page, t, email);
      await page.getByRole("button", { name: t("auth.factor.useRecovery") }).click();
      const recovery = page.getByLabel(t("auth.factor.recovery"), { exact: true });
      await expect(recovery).toBeFocused();
      await recovery.fill(first.toUpperCase());
      await submit(page, t);
      if (works) await home(page, t);
      else await expect(page.getByText(t("auth.factor.recoveryWrong")).first()).toBeVisible();
    }
    await page.getByLabel(t("auth.factor.recovery"), { exact: true }).fill(codes[1] ?? "");
    await submit(page, t);
    await home(page, t);
    await expect(page.getByText(t("second-factor.notices.recovery.title")).first()).toBeVisible();

    await page.goto("/profile");
    await page.getByRole("button", { name: t("second-factor.off.open") }).click();
    await page
      .getByRole("alertdialog")
      .getByRole("button", { name: t("second-factor.off.confirm") })
      .click();
    await expect(toast(page, t("second-factor.off.done"))).toBeVisible();
    await logout(context);
    await page.goto("/login");
    await signIn(page, t, email);
    await home(page, t);
  });
}

test("a passkey is added, signs in, and is removed", async ({ open, baseURL }) => {
  const context = await open("desktop", "en", { ownContext: true });
  const page = await context.newPage();
  const devtools = await context.newCDPSession(page);
  await devtools.send("WebAuthn.enable");
  await devtools.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  const at = (path: string) => atName(baseURL, path);
  const email = `${unique("key").replaceAll(" ", ".")}@example.com`;
  const signUp = { businessName: unique("Pass Key"), email, password: ownerPassword };
  expect((await send(context, "POST", at("/api/auth/signup"), signUp)).ok()).toBe(true);

  await page.goto(at("/profile"));
  await page.getByRole("button", { name: en("second-factor.passkeys.add") }).click();
  const dialog = page.getByRole("dialog", { name: en("second-factor.passkeys.add") });
  await dialog.getByLabel(en("second-factor.passkeys.name")).fill("Office laptop");
  await dialog.getByRole("button", { name: en("second-factor.passkeys.go") }).click();
  await keepCodes(page, en);
  await expect(page.getByText("Office laptop")).toBeVisible();
  await expect(page.getByText(en("second-factor.passkeys.neverUsed"))).toBeVisible();

  for (const path of ["/login", "/employee-login"]) {
    expect((await send(context, "POST", at("/api/auth/logout"))).ok()).toBe(true);
    await context.clearCookies();
    await page.goto(at(path));
    const name = path === "/login" ? en("auth.ownerLogin.name") : en("auth.operatorLogin.name");
    await page.getByLabel(name).fill(path === "/login" ? email : signUp.businessName);
    await page.getByLabel(en("auth.password"), { exact: true }).fill(ownerPassword);
    await submit(page, en);
    await expect(page.getByText(en("auth.factor.passkeyAsked"))).toBeVisible();
    await page.getByRole("button", { name: en("auth.factor.usePasskey") }).click();
    await home(page, en);
  }

  await page.goto(at("/profile"));
  const remove = en("second-factor.passkeys.removeName", { name: "Office laptop" });
  await page.getByRole("button", { name: remove }).click();
  await page
    .getByRole("alertdialog")
    .getByRole("button", { name: en("second-factor.passkeys.remove") })
    .click();
  await expect(page.getByText("Office laptop")).toHaveCount(0);
  await expect(page.getByText(en("second-factor.app.off"))).toBeVisible();
});

test("a manager of a company that requires a second factor must set it up first", async ({
  open,
}) => {
  const context = await open("desktop", "en");
  const business = unique("Strict Works");
  const { email, call } = await company(context, business);
  const boss = `boss.${email}`;
  const { temporaryPassword } = await manager(call, boss);
  const page = await context.newPage();
  await page.goto("/settings");
  await expect(page.getByText(en("second-factor.require.ownFirst"))).toBeVisible();
  await page.getByRole("link", { name: en("second-factor.require.setUpFirst") }).click();
  await setUpApp(page, en);
  await page.goto("/settings");
  await page.getByRole("switch", { name: en("second-factor.require.require") }).click();
  await expect(toast(page, en("second-factor.require.nowOn"))).toBeVisible();

  const theirs = await open("phone", "es");
  const phone = await theirs.newPage();
  await phone.goto("/login");
  await signIn(phone, es, boss, temporaryPassword);
  await expect(
    phone.getByRole("heading", { level: 1, name: es("second-factor.setUp.title") }),
  ).toBeVisible();
  expect((await send(theirs, "GET", "/api/employees")).status()).toBe(403);
  await phone.goto("/equipment-list");
  await expect(phone).toHaveURL(/\/second-factor$/);
  await setUpApp(phone, es);
  await home(phone, es);
  expect((await send(theirs, "GET", "/api/employees")).status()).toBe(200);

  // The owner removes the factor of a manager who lost the phone.
  await page.goto("/employees");
  const reset = en("operators.managers.factorResetName", { name: "Tomás Vega" });
  await page.getByRole("button", { name: reset }).click();
  await page
    .getByRole("alertdialog")
    .getByRole("button", { name: en("second-factor.reset.confirm") })
    .click();
  await expect(toast(page, en("second-factor.reset.done"))).toBeVisible();
  expect((await send(theirs, "GET", "/api/auth/user")).status()).toBe(401);
});
