import { expect, type BrowserContext, type Page } from "@playwright/test";
import { test } from "./fixtures";
import * as v from "valibot";
import { caller, company, operatorPassword, ownerPassword, send, toast, unique } from "./people";
import { sessionCookies, tokens } from "./stored";
import { words, type Words } from "./words";

const en = words("en");
const es = words("es");
const thirtyDays = 30 * 24 * 60 * 60;

const password = (page: Page, t: Words) => page.getByLabel(t("auth.password"), { exact: true });

async function expectRefusal(page: Page, title: string, text: string) {
  await expect(page.getByRole("alert")).toHaveText(title + text);
}

async function sessionCookie(context: BrowserContext) {
  const cookies = await sessionCookies(context);
  expect(cookies).toHaveLength(1);
  const [cookie] = cookies;
  if (!cookie) throw new Error("no session cookie");
  expect(cookie).toMatchObject({
    httpOnly: true,
    sameSite: "Strict",
    path: "/",
  });
  return cookie;
}

const personSchema = v.object({
  role: v.string(),
  securityQuestionsSet: v.boolean(),
  // Without the first steps of a new company.
  notices: v.pipe(
    v.array(v.object({ kind: v.string() })),
    v.filterItems(({ kind }) => !kind.startsWith("first_")),
  ),
});

/** The signed-in user according to the server. */
async function person(context: BrowserContext) {
  return v.parse(personSchema, await caller(context)("GET", "/api/auth/user"));
}

async function ownerLogin(page: Page, t: Words, name: string, secret: string) {
  await page.getByLabel(t("auth.ownerLogin.name")).fill(name);
  await password(page, t).fill(secret);
  await page.getByRole("button", { name: t("auth.ownerLogin.submit"), exact: true }).click();
}

test("the sign-in pages load only the files that they reference, and texts", async ({ open }) => {
  for (const path of ["/login", "/employee-login"]) {
    const context = await open("phone", "es", { ownContext: true });
    const page = await context.newPage();
    const loaded: string[] = [];
    page.on("request", (request) => loaded.push(new URL(request.url()).pathname));
    // The application loads some seconds later.
    await page.clock.install();
    const document = await (await page.goto(path))?.text();
    await expect(password(page, es)).toBeEditable();
    const scripts = loaded.filter((file) => file.endsWith(".js"));
    expect(scripts.length).toBeGreaterThan(2);
    const isExpected = (file: string) => document?.includes(file) || file.includes("/texts-");
    expect(scripts.filter((file) => !isExpected(file))).toEqual([]);
    await page.clock.runFor(10_000);
    await expect.poll(() => loaded.some((file) => file.includes("/app-"))).toBe(true);
  }
});

test.describe("owner login", () => {
  test("does not reveal whether the name or the password is wrong", async ({ open, team }) => {
    const { business, email } = team;
    const context = await open("desktop", "en");
    const page = await context.newPage();
    await page.goto("/login");
    const refusal = "Invalid email, business name or password";
    for (const [name, secret] of [
      [email, "not-the-password"],
      [email, ownerPassword.toUpperCase()],
      [business.toUpperCase(), ownerPassword],
      [unique("Nobody Works"), ownerPassword],
    ] as const) {
      await ownerLogin(page, en, name, secret);
      await expectRefusal(page, "Login failed", refusal);
      await expect(page.getByLabel(en("auth.ownerLogin.name"))).toHaveValue(name);
      await expect(password(page, en)).toHaveValue(secret);
    }
    expect(await tokens(context)).toEqual([]);
  });

  test("ends with the browser, or after 30 days if remembered", async ({ open, team }) => {
    const { business, email } = team;
    const context = await open("desktop", "es");
    const page = await context.newPage();
    await page.goto("/login");
    await ownerLogin(page, es, business, ownerPassword);
    await expect(toast(page, es("auth.ownerLogin.success"))).toBeVisible();
    await expect(page).toHaveTitle(new RegExp(es("shell.titles.dashboard")));
    const brief = await sessionCookie(context);
    expect(brief.expires).toBe(-1);

    await page.getByRole("button", { name: es("shell.logout") }).click();
    await page
      .getByRole("link", { name: es("landing.ownerLogin") })
      .first()
      .click();
    await page.getByLabel(es("auth.ownerLogin.remember")).check();
    await ownerLogin(page, es, email.toUpperCase(), ownerPassword);
    await expect(page).toHaveTitle(new RegExp(es("shell.titles.dashboard")));
    const kept = await sessionCookie(context);
    expect(Math.abs(kept.expires - Date.now() / 1000 - thirtyDays)).toBeLessThan(120);
    expect(kept.value).not.toBe(brief.value);
  });
});

test.describe("operator login", () => {
  const submit = (page: Page, t: Words) =>
    page.getByRole("button", {
      name: t("auth.operatorLogin.submit"),
      exact: true,
    });
  const name = (page: Page, t: Words) => page.getByLabel(t("auth.operatorLogin.name"));

  test("a refused name stays, and the session ends with the browser", async ({ open, team }) => {
    const { username } = team;
    const context = await open("phone", "es");
    const page = await context.newPage();
    await page.goto("/employee-login");
    await name(page, es).fill(username.toUpperCase());
    await password(page, es).fill(operatorPassword);
    await submit(page, es).click();
    await expectRefusal(page, es("auth.operatorLogin.failed"), es("auth.operatorLogin.failedText"));
    await expect(name(page, es)).toHaveValue(username.toUpperCase());
    await page.getByRole("link", { name: es("auth.backToHome") }).click();
    await expect(page).toHaveURL("/");
    await expect(page.getByRole("heading", { name: es("landing.hero.title") })).toBeVisible();

    await page
      .getByRole("link", { name: es("landing.operatorLogin") })
      .first()
      .click();
    await name(page, es).fill(username);
    await password(page, es).fill(operatorPassword);
    await submit(page, es).click();
    await expect(page).toHaveTitle(new RegExp(es("shell.titles.equipmentUpdates")));
    expect((await sessionCookie(context)).expires).toBe(-1);
    expect(await page.evaluate(() => Object.keys(localStorage))).not.toContain(
      "operatorCredentials",
    );
  });

  test("remembers only the name, and deletes a password that an older version stored", async ({
    open,
    team,
  }) => {
    const { username } = team;
    const context = await open("phone", "en");
    const page = await context.newPage();
    await page.goto("/employee-login");
    await page.evaluate((stored) => localStorage.setItem("operatorCredentials", stored), legacy());
    await page.reload();
    await expect(name(page, en)).toHaveValue("luis0001");
    await expect(password(page, en)).toHaveValue("");
    const stored = (key: string) => page.evaluate((item) => localStorage.getItem(item), key);
    expect(await stored("operatorCredentials")).toBe('{"operatorName":"luis0001"}');

    await name(page, en).fill(username);
    await password(page, en).fill(operatorPassword);
    await submit(page, en).click();
    await expect(page).toHaveTitle(/Equipment Updates/);
    expect(await stored("operatorCredentials")).toBe(JSON.stringify({ operatorName: username }));
    const { expires } = await sessionCookie(context);
    expect(Math.abs(expires - Date.now() / 1000 - thirtyDays)).toBeLessThan(120);

    // The session has ended; the name is still remembered.
    await context.clearCookies();
    await page.goto("/employee-login");
    await expect(name(page, en)).toHaveValue(username);
  });

  test("the business name gives operator rights with the shared password, and all rights with the owner's", async ({
    open,
    team,
  }) => {
    const { business } = team;
    const context = await open("desktop", "en");
    const page = await context.newPage();
    await page.goto("/employee-login");
    await name(page, en).fill(business);
    await password(page, en).fill(operatorPassword);
    await submit(page, en).click();
    await expect(page).toHaveTitle(/Equipment Updates/);
    expect((await person(context)).role).toBe("operator");
    for (const path of ["/employees", "/settings", "/subscription", "/audit-log"]) {
      await page.goto(path);
      await expect(page).toHaveTitle(/Equipment Updates/);
    }
    for (const path of ["/api/company-settings", "/api/employees", "/api/subscription/info"]) {
      expect((await send(context, "GET", path)).status(), path).toBe(403);
    }

    await page
      .getByRole("button", { name: en("shell.logout") })
      .first()
      .click();
    await page.getByRole("link", { name: "Operator Login" }).first().click();
    await name(page, en).fill(business);
    await password(page, en).fill(ownerPassword);
    await submit(page, en).click();
    await expect(page).toHaveTitle(/^Dashboard/);
    expect((await person(context)).role).toBe("owner");
    await page.goto("/employees");
    await expect(page.getByRole("heading", { level: 1 })).toHaveText(en("operators.pageTitle"));
  });
});

/** Data of an older version, with the password. */
function legacy(): string {
  return JSON.stringify({
    operatorName: "luis0001",
    password: "an-old-secret",
  });
}

test("signup refuses a taken name and a common password", async ({ open }) => {
  const context = await open("desktop", "en");
  const taken = unique("Taken Works");
  await company(context, taken);
  await context.clearCookies();
  const page = await context.newPage();
  await page.goto("/signup");
  const field = {
    business: page.getByLabel(en("auth.signup.businessName")),
    email: page.getByLabel(en("auth.signup.email")),
    password: password(page, en),
    again: page.getByLabel(en("auth.signup.confirmPassword")),
  };
  const create = page.getByRole("button", { name: en("auth.signup.submit") });
  const trial = en("common.trialWeeks_other", { count: 4 });
  await expect(page.getByText(en("auth.signup.promise", { trial }))).toBeVisible();
  await field.business.fill(taken.toUpperCase());
  await field.email.fill("newcomer@example.com");
  await field.password.fill(ownerPassword);
  await field.again.fill(ownerPassword);
  await create.click();
  await expectRefusal(page, "Signup failed", "That email or business name is already in use.");
  await expect(field.email).toHaveValue("newcomer@example.com");

  // A common password.
  await field.business.fill(unique("Fresh Works"));
  for (const common of [field.password, field.again]) await common.fill("password123");
  await create.click();
  await expect(page.getByRole("alert")).toContainText("Signup failed");
  await expect(field.password).toHaveAttribute("aria-invalid", "true");
  expect(await tokens(context)).toEqual([]);
});

const pet = "What was the name of your first pet?";
const city = "In what city were you born?";

test("a lost password is reset with two answers, and the owner sees a notice", async ({ open }) => {
  const context = await open("desktop", "en");
  const business = unique("Lost Works");
  const { email } = await company(context, business);
  const elsewhere = await open("desktop", "en");
  await caller(elsewhere)("POST", "/api/auth/login", {
    emailOrBusinessName: email,
    password: ownerPassword,
  });
  const page = await context.newPage();
  await page.goto("/security-questions");
  await page.getByLabel(en("auth.questions.question1")).selectOption(pet);
  await page.getByLabel(en("auth.questions.answer1")).fill("  Bobby Tables ");
  await page.getByLabel(en("auth.questions.question2")).selectOption(city);
  await page.getByLabel(en("auth.questions.answer2")).fill("Monterrey");
  await page.getByRole("button", { name: en("auth.questions.submit"), exact: true }).click();
  await expect(page).toHaveTitle(/^Dashboard/);
  expect((await person(context)).securityQuestionsSet).toBe(true);
  await page.getByRole("button", { name: en("shell.logout") }).click();

  await page
    .getByRole("link", { name: en("landing.ownerLogin") })
    .first()
    .click();
  await page.getByRole("link", { name: en("auth.ownerLogin.forgot") }).click();
  const name = page.getByLabel(en("auth.ownerLogin.name"));
  const find = page.getByRole("button", { name: en("auth.forgot.find") });
  // The login page has a field of the same name.
  await expect(find).toBeVisible();
  await name.fill(business);
  await find.click();
  const answers = [page.getByLabel(pet), page.getByLabel(city)] as const;
  const fresh = page.getByLabel(en("auth.forgot.newPassword"), { exact: true });
  const again = page.getByLabel(en("auth.forgot.confirmPassword"));
  const reset = page.getByRole("button", { name: en("auth.forgot.submit") });
  await expect(answers[0]).toBeFocused();
  const next = "trench-9-shoring";
  await fresh.fill(next);
  await again.fill(next);

  // One correct answer is not enough.
  await answers[0].fill("bobby tables");
  await answers[1].fill("Laredo");
  await reset.click();
  await expectRefusal(page, "Reset Failed", "Security answers are incorrect. Please try again.");
  await expect(fresh).toHaveValue(next);
  expect((await send(elsewhere, "GET", "/api/auth/user")).status()).toBe(200);

  await answers[0].fill(" BOBBY TABLES");
  await answers[1].fill("monterrey ");
  await reset.click();
  await expect(page).toHaveURL("/login");
  await expect(toast(page, en("auth.forgot.success"))).toBeVisible();
  expect(await tokens(context)).toEqual([]);
  expect((await send(elsewhere, "GET", "/api/auth/user")).status()).toBe(401);

  await ownerLogin(page, en, email, ownerPassword);
  await expect(page.getByRole("alert")).toContainText("Invalid email, business name or password");
  await ownerLogin(page, en, email, next);
  await expect(page).toHaveTitle(/^Dashboard/);
  const notice = page.getByText(en("notices.recovered.title"), { exact: true });
  await expect(notice).toHaveCount(1);
  await expect(notice).toBeVisible();
  expect((await person(context)).notices).toEqual([{ kind: "password_recovered" }]);
  const dismissal = page.waitForResponse(/AccountsService\/DismissNotice$/);
  const title = en("notices.recovered.title");
  await page.getByRole("button", { name: en("notices.dismiss", { title }) }).click();
  await expect(notice).toHaveCount(0);
  await dismissal;
  await page.reload();
  await expect(page).toHaveTitle(/^Dashboard/);
  await expect(notice).toHaveCount(0);
  expect((await person(context)).notices).toEqual([]);
});

test("recovery of an unknown name fails without revealing that it is unknown", async ({ open }) => {
  const context = await open("phone", "en");
  const page = await context.newPage();
  await page.goto("/forgot-password");
  const name = page.getByLabel(en("auth.ownerLogin.name"));
  const unknown = unique("Nobody Works");
  await name.fill(unknown);
  const answer = page.waitForResponse(/\/api\/auth\/forgot-password$/);
  await page.getByRole("button", { name: en("auth.forgot.find") }).click();
  // After repeated failures an address gets questions without a correct answer.
  if ((await answer).status() === 404) {
    await expectRefusal(
      page,
      "User Not Found",
      "No account found with that email or business name, or security questions not set up.",
    );
    await expect(name).toHaveValue(unknown);
    const [question1, question2] = [pet, city];
    await page.route("**/api/auth/forgot-password", (route) =>
      route.fulfill({ json: { question1, question2 } }),
    );
    await page.getByRole("button", { name: en("auth.forgot.find") }).click();
  }
  const answers = page.locator("input[name^=securityAnswer]");
  await expect(answers).toHaveCount(2);
  await answers.first().fill("Bobby");
  await answers.last().fill("Laredo");
  await page.getByLabel(en("auth.forgot.newPassword"), { exact: true }).fill("trench-9-shoring");
  await page.getByLabel(en("auth.forgot.confirmPassword")).fill("trench-9-shoring");
  await page.getByRole("button", { name: en("auth.forgot.submit") }).click();
  await expectRefusal(page, "Reset Failed", "Security answers are incorrect. Please try again.");
  await expect(page).toHaveURL("/forgot-password");
});
