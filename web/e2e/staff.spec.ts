import { expect, type Page } from "@playwright/test";
import { test, type Open, type StaffMember, type Screen } from "./fixtures";
import { company, machine, operator, operatorPassword, rows, send, unique } from "./people";
import { code, invitedStaff, supportStaff } from "./support-staff";
import { words, type Language } from "./words";

// Support staff sign in with a code and see all accounts, but no company's own pages.

const t = words("en");

test("staff sign in with a code, and have no company pages", async ({ open }) => {
  const context = await open("desktop", "en");
  const staff = await supportStaff(context, "Ada Desk");
  const page = await context.newPage();
  await page.goto("/login");
  await page.getByLabel(t("auth.ownerLogin.name")).fill(staff.email);
  await page.getByLabel(t("auth.password"), { exact: true }).fill(staff.password);
  const submit = page.getByRole("button", {
    name: t("auth.ownerLogin.submit"),
  });
  await submit.click();
  const field = page.getByLabel(t("auth.ownerLogin.totp"));
  await expect(field).toBeFocused();
  await expect(page.getByText(t("auth.ownerLogin.totpAsked"))).toBeVisible();

  await field.fill(wrong(code(staff.secret)));
  await submit.click();
  await expect(field).toHaveAttribute("aria-invalid", "true");
  await expect(field).toHaveValue("");
  await expect(page.getByText(t("auth.ownerLogin.totpWrong")).first()).toBeVisible();
  expect((await send(context, "GET", "/api/auth/user")).status()).toBe(401);

  const used = code(staff.secret);
  await field.fill(used);
  await submit.click();
  const title = page.getByRole("heading", { level: 1 });
  await expect(title).toHaveText(t("shell.titles.adminAccounts"));
  await expect(page).toHaveURL(/\/admin-accounts$/);

  for (const path of ["/employees", "/audit-log", "/equipment-list", "/operator"]) {
    await page.goto(path);
    await expect(title, path).toHaveText(t("shell.notFound.title"));
  }
  await page.getByRole("link", { name: t("shell.notFound.staffAction") }).click();
  await expect(title).toHaveText(t("shell.titles.adminAccounts"));
  for (const path of ["/api/equipment", "/api/employees", "/api/audit-log"]) {
    expect((await send(context, "GET", path)).status(), path).toBe(403);
  }

  // A used code is refused.
  const thief = await open("desktop", "en");
  const stolen = {
    emailOrBusinessName: staff.email,
    password: staff.password,
    totp: used,
  };
  expect((await send(thief, "POST", "/api/auth/login", stolen)).status()).toBe(401);
});

test("staff enrol with a code that works once, and change their password", async ({ open }) => {
  const staff = await invitedStaff("Eva Desk");
  const context = await open("phone", "en");
  const page = await context.newPage();
  await page.goto("/staff-enrolment");
  const go = page.getByRole("button", { name: t("auth.forgot.find") });
  await page.getByLabel(t("second-factor.staff.code")).fill("abcde-fghjk-mnpqr-stuvw");
  await go.click();
  await expect(page.getByText(t("refusals.WRONG_ENROLMENT_CODE")).first()).toBeVisible();
  await page.getByLabel(t("second-factor.staff.code")).fill(staff.enrolmentCode);
  await go.click();
  await expect(page.getByText(t("second-factor.staff.step2", { name: staff.name }))).toBeVisible();
  const shown = page.getByText(/^([A-Z2-7]{4} ){7}[A-Z2-7]{4}$/);
  const secret = (await shown.innerText()).replaceAll(" ", "");
  await page.getByLabel(t("auth.ownerLogin.totp")).fill(code(secret));
  await page.getByLabel(t("auth.forgot.newPassword"), { exact: true }).fill("backhoe-pit-41");
  await page.getByLabel(t("auth.forgot.confirmPassword")).fill("backhoe-pit-41");
  await page.getByRole("button", { name: t("second-factor.staff.submit") }).click();
  const title = page.getByRole("heading", { level: 1 });
  await expect(title).toHaveText(t("shell.titles.adminAccounts"));
  const again = await open("desktop", "en");
  const begin = { code: staff.enrolmentCode };
  expect((await send(again, "POST", "/api/auth/staff-enrolment", begin)).status()).toBe(400);

  await page.goto("/password");
  await page.getByLabel(t("profile.password.current")).fill("backhoe-pit-41");
  await page.getByLabel(t("profile.password.new"), { exact: true }).fill("backhoe-pit-42");
  await page.getByLabel(t("profile.password.confirm")).fill("backhoe-pit-42");
  await page.getByRole("button", { name: t("profile.password.submit") }).click();
  await expect(title).toHaveText(t("shell.titles.adminAccounts"));
  const login = { emailOrBusinessName: staff.email, password: "backhoe-pit-42" };
  const asked = await send(again, "POST", "/api/auth/login", login);
  expect(await asked.json()).toMatchObject({ code: "TOTP_REQUIRED" });
});

/** Six other digits. */
const wrong = (right: string) =>
  right.replaceAll(/\d/g, (digit) => String((Number(digit) + 5) % 10));

async function desk(open: Open, staff: StaffMember, screen: Screen, language: Language) {
  const context = await open(screen, language, { storageState: staff.state });
  return context.newPage();
}

/** A company with one machine and an operator password, which billing knows. */
async function client(open: Open, name: string) {
  const context = await open("desktop", "en");
  const business = unique(name);
  const { call, email } = await company(context, business);
  await machine(call, "Crane");
  await operator(call);
  await expect
    .poll(async () => (await send(context, "GET", "/api/subscription/info")).status())
    .toBe(200);
  return { business, context, email, call };
}

async function find(page: Page, text: string) {
  await page.getByRole("searchbox").fill(text);
  await expect(page).toHaveURL(/search=/);
}

test("an operator password is revealed with a reason, which the owner reads", async ({
  open,
  staff,
}) => {
  const { business, context, email } = await client(open, "Reveal Works");
  const page = await desk(open, staff, "desktop", "en");
  await page.goto("/admin-accounts");
  await find(page, email);
  const row = page.getByRole("row").filter({ hasText: business });
  await expect(row).toContainText(email);
  await expect(row).toContainText(t("admin-accounts.status.trial"));
  await expect(row).toContainText(t("admin-accounts.masked"));
  await expect(page.getByRole("row")).toHaveCount(2);

  await row
    .getByRole("button", {
      name: t("admin-accounts.reveal.name", { name: business }),
    })
    .click();
  const dialog = page.getByRole("dialog");
  const reason = dialog.getByLabel(t("admin-accounts.reason.label"));
  const reveal = dialog.getByRole("button", {
    name: t("admin-accounts.reveal.submit"),
  });
  await reason.fill("too short");
  await reveal.click();
  await expect(dialog.getByText(t("admin-accounts.reason.short"))).toBeVisible();
  const given = "Ticket 4711: the crew can't sign in";
  await reason.fill(given);
  await reveal.click();
  const shown = page.getByRole("dialog", {
    name: t("admin-accounts.reveal.shownTitle", { name: business }),
  });
  await expect(shown.getByText(operatorPassword, { exact: true })).toBeVisible();
  await shown
    .getByRole("button", { name: t("common.close") })
    .last()
    .click();
  await expect(dialog).toBeHidden();
  expect(await page.content()).not.toContain(operatorPassword);

  const office = await context.newPage();
  await office.goto("/audit-log?category=company");
  const line = office
    .getByRole("row")
    .filter({ hasText: t("audit-log.reason", { reason: given }) });
  const actor = t("audit-log.actors.supportNamed", { name: staff.name });
  await expect(line).toContainText(
    t("audit-log.words.operator_password_revealed_by_support.done", { actor }),
  );
  await expect(line).toHaveCount(1);
});

test("an equipment limit is set with a reason, and the owner sees it", async ({ open, staff }) => {
  const { business, context, call } = await client(open, "Limit Works");
  const page = await desk(open, staff, "desktop", "en");
  await page.goto(`/admin-accounts?search=${encodeURIComponent(business)}`);
  const row = page.getByRole("row").filter({ hasText: business });
  await expect(row).not.toContainText(t("admin-accounts.agreed"));
  const limits = async () => (await rows(call, "/api/audit-log?event=equipment_limit_set")).length;
  const dialog = page.getByRole("dialog");
  const set = async (kind: string, count?: string) => {
    await row
      .getByRole("button", {
        name: t("admin-accounts.limit.name", { name: business }),
      })
      .click();
    await dialog.getByText(t(`admin-accounts.limit.${kind}`), { exact: true }).click();
    if (count) await dialog.getByLabel(t("admin-accounts.limit.count")).fill(count);
    await dialog
      .getByLabel(t("admin-accounts.reason.label"))
      .fill("Agreed with the owner by phone");
    await dialog.getByRole("button", { name: t("admin-accounts.limit.submit") }).click();
  };
  await set("number", "many");
  await expect(dialog.getByText(t("admin-accounts.limit.countInvalid"))).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(dialog).toBeHidden();

  const office = await context.newPage();
  const owners = (text: string) =>
    expect(async () => {
      await office.goto("/subscription");
      await expect(office.getByText(text, { exact: true })).toBeVisible({
        timeout: 2000,
      });
    }).toPass();
  await set("number", "1,234");
  await expect(dialog).toBeHidden();
  await expect(row).toContainText("1,234");
  await expect(row).toContainText(t("admin-accounts.agreed"));
  await owners(t("subscription.inUse", { total: 1, limit: "1,234" }));
  await set("none");
  await expect(dialog).toBeHidden();
  await expect(row).toContainText(t("admin-accounts.usedUnlimited", { used: 1 }));
  await owners(t("subscription.inUseUnlimited", { total: 1 }));
  await set("plan");
  await expect(dialog).toBeHidden();
  await expect(row).not.toContainText(t("admin-accounts.agreed"));
  await expect.poll(limits).toBe(3);
});

test("the list on a phone in es shows cards, an empty search and all accounts again", async ({
  open,
  staff,
}) => {
  const es = words("es");
  const { business } = await client(open, "Móvil Works");
  const page = await desk(open, staff, "phone", "es");
  await page.goto("/admin-accounts");
  await expect(page.getByRole("heading", { level: 1 })).toHaveText(
    es("shell.titles.adminAccounts"),
  );
  const card = page.getByRole("listitem").filter({ hasText: business });
  // The newest accounts come first.
  await expect(card).toBeVisible();
  await find(page, "nobody has this name");
  await expect(page.getByText(es("admin-accounts.noMatch.title"))).toBeVisible();
  await page.getByRole("button", { name: es("admin-accounts.noMatch.clear") }).click();
  await expect(page.getByRole("searchbox")).toHaveValue("");
  await expect(card).toBeVisible();
  await find(page, business.toUpperCase());
  await expect(card).toHaveCount(1);
  const name = es("admin-accounts.reveal.name", { name: business });
  await expect(card.getByRole("button", { name })).toBeVisible();
});

test("other users see the 404 page, and the call is refused", async ({ open, team }) => {
  const seen = [
    { storageState: team.owner, title: t("shell.notFound.title") },
    { storageState: team.manager, title: t("shell.notFound.title") },
    // For operators every other path shows their own page.
    { storageState: team.operator, title: t("shell.titles.equipmentUpdates") },
  ];
  for (const { storageState, title } of seen) {
    const person = await open("desktop", "en", { storageState });
    const page = await person.newPage();
    await page.goto("/admin-accounts");
    await expect(page.getByRole("heading", { level: 1 })).toHaveText(title);
    await expect(page.getByRole("link", { name: t("shell.titles.adminAccounts") })).toHaveCount(0);
    expect((await send(person, "GET", "/api/admin/accounts")).status()).toBe(403);
  }
  const guest = await open("desktop", "en");
  expect((await send(guest, "GET", "/api/admin/accounts")).status()).toBe(401);
});
