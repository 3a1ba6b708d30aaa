import { expect, type Page } from "@playwright/test";
import { test } from "./fixtures";
import { stubPrint } from "./files";
import {
  caller,
  company,
  machine,
  operator,
  operatorPassword,
  ownerPassword,
  rows,
  send,
  signUp,
  toast,
  unique,
} from "./people";
import { storedData, leaks, sessionCookies, tokens } from "./stored";
import { words, type Words } from "./words";

// No password, token or answer is stored where a script of the page, or a person with the device,
// could read it.

const en = words("en");
const es = words("es");

const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });

test("an owner's passwords, answers and tokens are not stored", async ({ open }) => {
  const context = await open("desktop", "en", {
    serviceWorkers: "allow",
  });
  const page = await context.newPage();
  await stubPrint(page);
  const secrets = [ownerPassword];
  const expectNothingStored = async (after: string) => {
    secrets.push(...(await tokens(context)));
    expect(await leaks(page, secrets), after).toEqual([]);
  };
  const email = await signUp(page, en, unique("Safe Works"));
  await expectNothingStored("signing up");
  // Checks that expected data are found, so that the search covers the right places.
  const found = await storedData(page);
  expect(found.queries).toContain(email);
  const [cookie] = await sessionCookies(context);
  expect(cookie).toMatchObject({ httpOnly: true, sameSite: "Strict" });

  await page.goto("/security-questions");
  const answers = ["zanzibar-kibble", "chihuahua-norte"];
  secrets.push(...answers);
  await page.getByLabel(en("auth.questions.question1")).selectOption({ index: 1 });
  await page.getByLabel(en("auth.questions.answer1")).fill(answers[0] ?? "");
  await page.getByLabel(en("auth.questions.question2")).selectOption({ index: 2 });
  await page.getByLabel(en("auth.questions.answer2")).fill(answers[1] ?? "");
  await button(page, en("auth.questions.submit")).click();
  await expect(page).toHaveTitle(/^Dashboard/);
  await expectNothingStored("setting the questions");

  await test.step("the operator password is set, and revealed for the cards alone", async () => {
    await caller(context)("POST", "/api/employees", {
      firstName: "María",
      lastName: "Salazar",
    });
    await page.goto("/employees");
    await button(page, en("operators.settings.open")).click();
    secrets.push(operatorPassword);
    const dialog = page.getByRole("dialog");
    await dialog
      .getByLabel(en("operators.settings.operatorPassword"), { exact: true })
      .fill(operatorPassword);
    await dialog.getByRole("button", { name: en("operators.settings.submit") }).click();
    await expect(toast(page, en("operators.settings.done"))).toBeVisible();
    await expectNothingStored("setting the operator password");

    await button(page, en("operators.cards.print")).click();
    await button(page, en("operators.cards.printCount_one", { cards: 1 })).click();
    const paper = page.locator("[data-print-report], article").first();
    await expect(paper).toContainText(operatorPassword);
    await expectNothingStored("revealing the operator password");
    await page.evaluate(() => window.dispatchEvent(new Event("afterprint")));
    await expect(page.getByText(operatorPassword)).toHaveCount(0);
    expect(await page.content()).not.toContain(operatorPassword);
    await expectNothingStored("printing the cards");
  });

  await test.step("a manager's temporary password is shown and forgotten", async () => {
    await button(page, en("operators.managers.add")).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel(en("operators.form.firstName")).fill("Olga");
    await dialog.getByLabel(en("operators.form.lastName")).fill("Reyes");
    await dialog.getByLabel(en("operators.managers.email")).fill(`olga.${email}`);
    await dialog.getByRole("button", { name: en("operators.managers.add") }).click();
    const temporary = dialog
      .getByRole("definition")
      .filter({ has: button(page, en("operators.managers.copy")) })
      .locator("span")
      .first();
    secrets.push((await temporary.innerText()).trim());
    expect(secrets.at(-1)?.length).toBeGreaterThan(11);
    await expectNothingStored("showing the temporary password");
    await dialog.getByRole("button", { name: en("operators.managers.finish") }).click();
    await expect(dialog).toHaveCount(0);
    expect(await page.content()).not.toContain(secrets.at(-1));
    await expectNothingStored("adding the manager");
  });

  const changed = "gantry-4-hopper";
  await test.step("the password changes, and with it the token", async () => {
    await page.goto("/profile");
    await button(page, en("profile.password.open")).click();
    secrets.push(changed);
    await page.getByLabel(en("profile.password.current")).fill(ownerPassword);
    await page.getByLabel(en("profile.password.new"), { exact: true }).fill(changed);
    await page.getByLabel(en("profile.password.confirm")).fill(changed);
    const [before] = await tokens(context);
    await button(page, en("profile.password.submit")).click();
    await expect(toast(page, en("profile.password.done"))).toBeVisible();
    expect(await tokens(context)).not.toContain(before);
    await expectNothingStored("changing the password");
  });

  await test.step("logging out leaves nothing, and neither does recovery", async () => {
    await button(page, en("shell.logout")).click();
    await expect(page).toHaveURL("/");
    await expect.poll(() => tokens(context)).toEqual([]);
    await expectNothingStored("logging out");

    await page.goto("/forgot-password");
    await page.getByLabel(en("auth.ownerLogin.name")).fill(email);
    await page.getByRole("button", { name: en("auth.forgot.find") }).click();
    const recovered = "culvert-6-spoil";
    secrets.push(recovered);
    const fields = page.locator("input[name^=securityAnswer]");
    await fields.first().fill(answers[0] ?? "");
    await fields.last().fill(answers[1] ?? "");
    await page.getByLabel(en("auth.forgot.newPassword"), { exact: true }).fill(recovered);
    await page.getByLabel(en("auth.forgot.confirmPassword")).fill(recovered);
    await page.getByRole("button", { name: en("auth.forgot.submit") }).click();
    await expect(page).toHaveURL("/login");
    await expectNothingStored("recovering the password");
    await page.getByLabel(en("auth.ownerLogin.name")).fill(email);
    await page.getByLabel(en("auth.password"), { exact: true }).fill(recovered);
    await page.getByLabel(en("auth.ownerLogin.remember")).check();
    await button(page, en("auth.ownerLogin.submit")).click();
    await expect(page).toHaveTitle(/^Dashboard/);
    await expectNothingStored("signing in to stay");
  });
});

test("an operator's device stores unsent entries, and no secret", async ({ open }) => {
  const office = await open("desktop", "en");
  const { call } = await company(office, unique("Device Works"));
  await machine(call, "Excavator");
  const username = await operator(call);

  const context = await open("phone", "es");
  const page = await context.newPage();
  const signIn = async () => {
    await page.getByLabel(es("auth.operatorLogin.name")).fill(username);
    await page.getByLabel(es("auth.password"), { exact: true }).fill(operatorPassword);
    await page.getByLabel(es("auth.operatorLogin.remember")).check();
    await button(page, es("auth.operatorLogin.submit")).click();
    await expect(page).toHaveTitle(new RegExp(es("shell.titles.equipmentUpdates")));
  };
  await page.goto("/employee-login");
  await signIn();
  const [cookie] = await sessionCookies(context);
  expect(cookie).toMatchObject({ httpOnly: true, sameSite: "Strict" });
  const secrets = [operatorPassword, ...(await tokens(context))];
  expect(await leaks(page, secrets)).toEqual([]);
  expect((await storedData(page)).local).toContain("operatorCredentials");

  await reportReading(page, es, "1010");
  await expect(toast(page, es("operator.toast.submitted"))).toBeVisible();
  const reports = /\/api\/operator-updates$/;
  await context.route(reports, (route) => route.abort("connectionfailed"));
  await reportReading(page, es, "1020");
  await expect(toast(page, es("operator.kept.title"))).toBeVisible();
  expect((await storedData(page)).databases).toContain('"reading":1020');
  expect(await leaks(page, secrets)).toEqual([]);

  await page.evaluate(() => sessionStorage.setItem("left", "behind"));
  await button(page, es("shell.logout")).click();
  await page.getByRole("button", { name: es("operator.outbox.leave") }).click();
  await expect(page).toHaveURL("/");
  await expect.poll(() => tokens(context)).toEqual([]);
  const after = await storedData(page);
  expect(after.local).not.toMatch(/operatorCredentials|operatorUsername/);
  expect(after.session).not.toContain("left");
  expect((await context.cookies()).map(({ name }) => name)).not.toContain("known");
  expect(after.databases).toContain('"reading":1020');
  expect(after.queries).not.toContain("Excavator");
  expect(await leaks(page, secrets)).toEqual([]);
  expect((await send(context, "GET", "/api/auth/user")).status()).toBe(401);

  await context.unroute(reports);
  await page.goto("/employee-login");
  await signIn();
  await expect(page.getByText(es("operator.outbox.allSent"))).toBeVisible();
  const sent = await rows(call, "/api/operator-updates");
  expect(sent.map((row) => row.newUsage).toSorted()).toEqual([1010, 1020]);
  expect((await storedData(page)).databases).not.toContain('"reading":1020');
});

async function reportReading(page: Page, t: Words, reading: string) {
  const field = page.getByLabel(t("operator.form.readingHours"));
  const chooser = page.getByRole("button", {
    name: new RegExp(t("operator.form.equipment")),
  });
  await chooser.click();
  const sheet = page.getByRole("dialog", { name: t("operator.picker.choose") });
  await sheet
    .getByRole("button", { name: /Excavator/ })
    .first()
    .click();
  await expect(sheet).toBeHidden();
  await field.fill(reading);
  await button(page, t("operator.form.submit")).click();
}
