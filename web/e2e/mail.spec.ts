import { expect, type Page } from "@playwright/test";
import { test } from "./fixtures";
import { ownerIn } from "./people";
import { owner } from "./profile";
import { words, type Words } from "./words";

/** The link in the newest mail with this subject in the mailbox. */
async function linkIn(page: Page, t: Words, subject: RegExp): Promise<string> {
  await page.goto("/sandbox/mail");
  await expect(page.getByRole("heading", { name: t("sandbox.mail.title") })).toBeVisible();
  await page.getByRole("button", { name: subject }).first().click();
  return (await page.getByRole("link", { name: /#/ }).getAttribute("href")) ?? "";
}

test("a mailed link verifies the address, and another one sets a new password", async ({
  open,
}) => {
  const t = words("es");
  const { page, email } = await owner(open, "phone", "es");
  await page.getByRole("button", { name: t("profile.verification.send") }).click();
  await page.getByRole("button", { name: t("profile.verification.mailbox") }).click();
  await page.waitForURL(/\/sandbox\/mail$/);
  const verification = await linkIn(page, t, /Verifica tu correo/);
  await page.goto(verification);
  await page.getByRole("button", { name: t("verify-email.submit") }).click();
  await expect(page.getByRole("heading", { name: t("verify-email.done") })).toBeVisible();
  await page.goto("/profile");
  await expect(page.getByText(t("profile.verification.verified", { email }))).toBeVisible();

  const visitor = await open("desktop", "es");
  const away = await visitor.newPage();
  await away.goto("/forgot-password");
  await away.getByLabel(t("auth.ownerLogin.name")).fill(email);
  await away.getByRole("button", { name: t("auth.forgot.mail") }).click();
  await expect(away.getByText(t("auth.forgot.mailed"), { exact: true })).toBeVisible();
  await away.goto(await linkIn(page, t, /contraseña nueva/));
  const password = "gravel-9-quarry";
  await away.getByLabel(t("auth.forgot.newPassword"), { exact: true }).fill(password);
  await away.getByLabel(t("auth.forgot.confirmPassword")).fill(password);
  await away.getByRole("button", { name: t("auth.forgot.submit") }).click();
  await expect(away).toHaveURL(/\/login/);
  await ownerIn(visitor, email, password);
});
