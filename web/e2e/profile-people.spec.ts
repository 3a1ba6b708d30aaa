import { expect } from "@playwright/test";
import { test } from "./fixtures";
import {
  caller,
  company,
  operator,
  operatorIn,
  operatorPassword,
  ownerPassword,
  send,
  toast,
  unique,
} from "./people";
import { edit, fact, label, owner, save } from "./profile";
import { storedData, tokens } from "./stored";
import { words } from "./words";

const nextPassword = "culvert-pipe-940";

test("a password change shows refusals, then signs other devices out (desktop, en)", async ({
  open,
}) => {
  const t = words("en");
  const { context, page, email, stored } = await owner(open, "desktop", "en");
  const login = (password: string) => ({
    emailOrBusinessName: email,
    password,
  });
  const elsewhere = await open("phone", "en");
  await caller(elsewhere)("POST", "/api/auth/login", login(ownerPassword));
  const device = await elsewhere.newPage();
  // The last calls of the page's load; the next call after them fails with an ended session.
  const settled = Promise.all([
    device.waitForResponse("**/hourmeter.billing.v1.BillingService/GetSubscription"),
    device.waitForResponse(/OperatorUpdatesService\/ListUpdates/),
  ]);
  await device.goto("/profile");
  await expect(fact(device, t("profile.email"))).toHaveText(email);
  await settled;

  const toggle = page.getByRole("button", {
    name: t("profile.password.open"),
  });
  await toggle.click();
  const field = (of: string) => page.getByLabel(t(`profile.password.${of}`), { exact: true });
  const submit = page.getByRole("button", {
    name: t("profile.password.submit"),
  });
  const fill = async (current: string, next: string, confirmation = next) => {
    await field("current").fill(current);
    await field("new").fill(next);
    await field("confirm").fill(confirmation);
    await submit.click();
  };
  await fill("not-the-password", nextPassword);
  await expect(toast(page, t("profile.password.failed"))).toBeVisible();
  await expect(field("current")).toHaveAccessibleDescription(
    new RegExp(t("refusals.CURRENT_PASSWORD_WRONG")),
  );
  await expect(field("new")).toHaveValue(nextPassword);
  expect((await send(elsewhere, "GET", "/api/auth/user")).status()).toBe(200);

  const [token] = await tokens(context);
  await fill(ownerPassword, nextPassword);
  await expect(toast(page, t("profile.password.done"))).toBeVisible();
  await expect(submit).toHaveCount(0);
  await expect(toggle).toBeFocused();
  expect(await tokens(context)).not.toContain(token);
  const everything = JSON.stringify(await storedData(page));
  for (const secret of [ownerPassword, nextPassword]) expect(everything).not.toContain(secret);
  expect(await stored()).toMatchObject({ email });
  expect((await send(elsewhere, "GET", "/api/auth/user")).status()).toBe(401);
  const ended = device.getByRole("heading", { name: t("auth.ended.title") });
  const change = async () => {
    await edit(device, t);
    await label(device, t("profile.firstName")).fill("Nobody");
    await save(device, t).click();
  };
  // A call of the page itself may find the end of the session first.
  await Promise.race([change().catch(() => undefined), ended.waitFor()]);
  await expect(ended).toBeVisible();
  await edit(page, t);
  await label(page, t("profile.firstName")).fill("Dana");
  await save(page, t).click();
  await expect(toast(page, t("profile.edit.done"))).toBeVisible();
  expect(await stored()).toMatchObject({ firstName: "Dana" });

  const old = await send(elsewhere, "POST", "/api/auth/login", login(ownerPassword));
  expect(old.status()).toBe(401);
  await caller(elsewhere)("POST", "/api/auth/login", login(nextPassword));
});

test("operators see a reduced profile (phone, es)", async ({ open }) => {
  const t = words("es");
  const office = await open("desktop", "en");
  const business = unique("Field Works");
  const { call } = await company(office, business);
  const username = await operator(call);

  const context = await open("phone", "es");
  await operatorIn(context, username);
  const page = await context.newPage();
  await page.goto("/profile");
  await expect(fact(page, t("profile.username"))).toHaveText(username);
  await expect(fact(page, t("profile.companyName"))).toHaveText(business);
  await expect(page.getByText(t("profile.signIn.operatorHelp"))).toBeVisible();
  for (const hidden of [t("profile.company.title"), t("profile.security.title")]) {
    await expect(page.getByRole("heading", { name: hidden })).toHaveCount(0);
  }
  await expect(page.getByRole("button", { name: t("profile.password.open") })).toHaveCount(0);
  await edit(page, t);
  await expect(page.getByLabel(t("profile.companyName"), { exact: true })).toHaveCount(0);
  await label(page, t("profile.email")).first().fill("maria@home.example");
  await label(page, t("profile.firstName")).fill("Mariana");
  await save(page, t).click();
  await expect(toast(page, t("profile.edit.done"))).toBeVisible();
  await expect(fact(page, t("profile.email"))).toHaveText("maria@home.example");
  expect(await caller(context)("GET", "/api/auth/user")).toMatchObject({
    firstName: "Mariana",
    email: "maria@home.example",
    operatorUsername: username,
    businessName: business,
  });
  const change = {
    currentPassword: operatorPassword,
    newPassword: nextPassword,
  };
  expect((await send(context, "PATCH", "/api/user/change-password", change)).status()).toBe(403);
  const rename = { companyName: unique("Taken Over") };
  expect((await send(context, "PATCH", "/api/company/settings", rename)).status()).toBe(403);
});

test("a shared session has no profile to edit", async ({ open }) => {
  const t = words("es");
  const office = await open("desktop", "en");
  const business = unique("Shared Works");
  const { email, call } = await company(office, business);
  await operator(call);
  const context = await open("phone", "es");
  await operatorIn(context, business);
  const page = await context.newPage();
  await page.goto("/profile");
  await expect(page.getByText(t("profile.signIn.sharedEdit"))).toBeVisible();
  await expect(fact(page, t("profile.companyName"))).toHaveText(business);
  await expect(page.getByRole("button", { name: t("profile.edit.open") })).toHaveCount(0);
  await expect(page.getByRole("main")).not.toContainText(email);
  const mine = { firstName: "Taken", lastName: "Over" };
  expect((await send(context, "PATCH", "/api/user/profile", mine)).status()).toBe(403);
  expect(await call("GET", "/api/auth/user")).toMatchObject({
    email,
    role: "owner",
  });
});
