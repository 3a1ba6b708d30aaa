import { expect, type Browser, type BrowserContext, type Page } from "@playwright/test";
import * as v from "valibot";
import { demoOwner } from "./demo";
import { ageSignIn } from "./old-sign-in";
import type { Open, Screen } from "./fixtures";
import {
  caller,
  company,
  machine,
  manager as makeManager,
  operator,
  operatorIn,
  ownerIn,
  ownerPassword,
  rows,
  signedInBy,
  taskSet,
  unique,
  type Call,
  type StorageState,
} from "./people";
import { code, staffIn, supportStaff } from "./support-staff";
import { words, type Language, type Words } from "./words";

/** Checks the open screen. */
export type Look = (page: Page, screen: string) => Promise<void>;

/** A company with data on every screen, and its signed-in users. */
export interface Cast {
  owner: StorageState;
  crew: StorageState;
  demo: StorageState;
  /** A manager with an unread notice. */
  manager: StorageState;
  business: string;
  excavator: string;
  roller: string;
  retired: string;
  /** A machine of the demo company. */
  premium: string;
}

export async function cast(browser: Browser): Promise<Cast> {
  const business = unique("Screen Works");
  const { email, call, signedIn: owner } = await company(await browser.newContext(), business);
  const questions = v.parse(v.array(v.string()), await call("GET", "/api/auth/security-questions"));
  await call("POST", "/api/auth/setup-security-questions", {
    securityQuestion1: questions[0],
    securityAnswer1: "Rover",
    securityQuestion2: questions[1],
    securityAnswer2: "Austin",
  });
  const excavator = await machine(call, "Excavator", {
    currentUsage: 1300,
    lastServiceUsage: 1000,
    serialNumber: "CAT0320EKZZ",
    threshold: 12000,
  });
  await call("PATCH", `/api/equipment/${excavator}/usage`, { usageIncrease: 10, fuelAdded: 12.5 });
  await call("POST", `/api/equipment/${excavator}/notes`, { content: "Track is loose." });
  const task = { name: "Oil filter", usageInterval: 500 };
  const made = await call("POST", `/api/equipment/${excavator}/service-tasks`, task);
  const taskId = v.parse(v.object({ id: v.string() }), made).id;
  const service = { notes: "Filter changed.", cost: 80 };
  await call("POST", `/api/equipment/${excavator}/service-tasks/${taskId}/done`, service);
  await taskSet(call, "Excavator service", excavator);
  const crane = await machine(call, "Crane", { threshold: 1200, serviceInterval: 0 });
  await machine(call, "Mixer", { currentUsage: 220, lastServiceUsage: 0 });
  const roller = await machine(call, "Roller");
  const retired = await machine(call, "Old loader");
  await call("POST", `/api/equipment/${retired}/retire`, { retirementNotes: "Sold." });
  const username = await operator(call);
  const crew = await signedInBy(browser, async (field) => {
    await operatorIn(field, username);
    for (const newUsage of [1010, 900]) {
      const update = { equipmentId: crane, newUsage, fuelAdded: 10 };
      await caller(field)("POST", "/api/operator-updates", update);
    }
  });
  let premium = "";
  const demo = await signedInBy(browser, async (show) => {
    await demoOwner(show);
    const [first] = await rows(caller(show), "/api/equipment");
    premium = String(first?.id);
  });
  const boss = await noticed(call, `tom.${email}`);
  const manager = await signedInBy(browser, (desk) => ownerIn(desk, boss, ownerPassword));
  return { owner, crew, demo, manager, business, excavator, roller, retired, premium };
}

/** A manager whose password was set by the owner, who sees a notice about it after signing in. */
async function noticed(call: Call, email: string): Promise<string> {
  const { id } = await makeManager(call, email);
  const password = { targetUserId: id, newPassword: ownerPassword };
  await call("POST", "/api/admin/reset-user-password", password);
  return email;
}

/** The context of a walk. */
export interface Stage {
  open: Open;
  cast: Cast;
  screen: Screen;
  language: Language;
  look: Look;
}

type Walk = (page: Page, stage: Stage, t: Words) => Promise<void>;

interface Tour {
  as: "owner" | "manager" | "crew" | "demo" | "staff" | "guest";
  walk: Walk;
}

/** Every screen and dialog of the product, by audience. */
export const tours: Record<string, Tour> = {
  "the visitor's screens": { as: "guest", walk: guestScreens },
  "the manager's dashboard": { as: "owner", walk: dashboard },
  "the review": { as: "owner", walk: review },
  "the lists": { as: "owner", walk: lists },
  "the office": { as: "owner", walk: office },
  // A separate company, because it changes how users sign in.
  "a second factor": { as: "guest", walk: secondFactor },
  "people and their passwords": { as: "owner", walk: people },
  "a manager's notices and the end of a session": { as: "manager", walk: notices },
  "one machine": { as: "owner", walk: oneMachine },
  "premium features": { as: "demo", walk: premium },
  "the operator's screens": { as: "crew", walk: crewScreens },
  "the support desk": { as: "staff", walk: desk },
};

export async function take(tour: Tour, stage: Stage) {
  const { open, screen, language } = stage;
  const { as } = tour;
  const signedOut = as === "guest" || as === "staff";
  const context = await open(screen, language, signedOut ? {} : { storageState: stage.cast[as] });
  // An idle session of support staff ends before a run of all views does.
  if (as === "staff") await staffIn(context, await supportStaff(context, "Ada Desk"));
  const page = await context.newPage();
  await tour.walk(page, stage, words(language));
}

async function guestScreens(page: Page, { look, cast: { business } }: Stage, t: Words) {
  await visit(page, "/", look);
  await page.keyboard.press("End");
  for (const section of ["install", "contact"]) {
    await expect(page.getByRole("heading", { name: t(`landing.${section}.title`) })).toBeVisible();
  }
  await look(page, "the whole landing page");
  for (const path of [
    "/login",
    "/employee-login",
    "/employee-login?operator=maria4821#abcde-fghjk-mnpqr-stuvw",
    "/signup",
    "/staff-enrolment",
    "/unsubscribe#key-of-the-mail",
    "/forgot-password",
  ]) {
    await visit(page, path, look);
  }
  await page.getByLabel(t("auth.ownerLogin.name")).fill(business);
  await press(page, t("auth.forgot.find"));
  await expect(page.getByLabel(t("auth.forgot.newPassword"), { exact: true })).toBeVisible();
  await look(page, "the security questions of a recovery");
}

async function dashboard(page: Page, { look, screen }: Stage, t: Words) {
  await visit(page, "/", look);
  const tiles = page.getByRole("group", { name: t("dashboard.tiles.label") });
  await expect(tiles.getByRole("link")).toContainText("2");
  if (screen === "phone") {
    await page.getByRole("button", { name: t("shell.openMenu") }).click();
    await inDialog(page, "the slide-in menu", look);
  } else {
    await inMenu(page, t("shell.more"), look, true);
    await inMenu(page, t("shell.account", { name: "" }), look);
  }
  const label = t("equipment.actions.label", { name: "Excavator" });
  await inMenu(page, label, look);
  for (const action of ["updateUsage", "viewNotes", "markServiced", "delete"]) {
    await page.getByRole("button", { name: label }).click();
    await page.getByRole("menuitem", { name: t(`equipment.actions.${action}`) }).click();
    await inDialog(page, action, look);
  }
}

async function review(page: Page, { look, screen }: Stage, t: Words) {
  await visit(page, "/review", look);
  const below = page.getByRole("row").filter({ hasText: /(?<!\d)900 (hours|horas)/ });
  const menu = below.locator("button[aria-haspopup=menu]");
  await menu.click();
  await look(page, "what can be done about an update");
  await page.keyboard.press("Escape");
  for (const repair of ["move", "replaced", "rolledOver"]) {
    await menu.click();
    await page.getByRole("menuitem", { name: t(`review.act.${repair}`), exact: true }).click();
    await inDialog(page, `an update: ${repair}`, look);
  }
  await press(below, t("review.act.setBack", { reading: "900 h" }));
  await inAlert(page, "an update that sets the meter back", look);
  await menu.click();
  await page.getByRole("menuitem", { name: t("review.act.correct"), exact: true }).click();
  await expect(below.getByRole("textbox").first()).toBeFocused();
  await look(page, "a correction");
  await page.keyboard.press("Escape");
  await press(below, t("review.queue.reject"));
  await inDialog(page, "a rejection", look);
  if (screen === "phone") await press(page, t("review.bulk.select"));
  await page.getByLabel(t("review.bulk.selectAll"), { exact: true }).check();
  await look(page, "a selection");
  await visit(page, "/review?tab=decided", look);
  await visit(page, "/review", look);
  if (screen === "phone") return;
  await press(page, t("review.keys.open"));
  await inDialog(page, "the keys", look);
}

async function lists(page: Page, { look, screen }: Stage, t: Words) {
  await visit(page, "/equipment-list", look);
  if (screen === "phone") {
    await inMenu(page, t("equipment.actions.label", { name: "Excavator" }), look);
    await press(page, t("shell.moreActions"));
  }
  await press(page, t("equipment-bulk.start"));
  await page.getByLabel(t("equipment-bulk.choose", { name: "Excavator" })).check();
  await look(page, "a selection of machines");
  await press(page, t("equipment-bulk.actions"));
  await page.getByRole("menuitem", { name: t("equipment-bulk.taskSet") }).click();
  await inDialog(page, "a task set for a selection", look);
  await visit(page, "/equipment-list?search=nothing", look);
  for (const status of ["all", "good", "approaching", "due", "overdue"]) {
    await visit(page, `/equipment/${status}`, look);
  }
  for (const view of ["", "?view=task", "?view=type", "?view=calendar"]) {
    await visit(page, `/service${view}`, look);
  }
  if (screen === "phone") await press(page, t("shell.moreActions"));
  await press(page, t("service.feed.open"));
  await inDialog(page, "a calendar address", look);
  await visit(page, "/task-sets", look);
  await press(page, t("task-sets.card.review"));
  await inDialog(page, "the changes of a task set", look);
  await press(page, t("task-sets.card.assign"));
  await inDialog(page, "machines for a task set", look);
  await press(page, t("task-sets.create"));
  await inDialog(page, "a new task set", look);
  await visit(page, "/retired-equipment", look);
  await page
    .getByRole("button", { name: t("retired.restore.name", { name: "Old loader" }) })
    .click();
  await inAlert(page, "restore", look);
}

async function office(page: Page, { look }: Stage, t: Words) {
  for (const path of [
    "/nope",
    "/security-questions",
    "/add-equipment",
    "/settings",
    "/profile",
    "/subscription",
    "/instructions",
    "/contact",
    "/notifications",
    "/notifications?unread=true",
    "/audit-log",
    "/audit-log?category=company&from=2199-01-02&to=2199-01-01",
    "/admin-accounts",
  ]) {
    await visit(page, path, look);
  }
  await visit(page, "/add-equipment?import=true", look);
  await page
    .getByRole("textbox", { name: t("equipment-import.sheet.label") })
    .fill("Nombre\tTipo\tHoras\nZanjadora\tMaquinaria\t4.811,7\nZanjadora\tMaquinaria\t5");
  await expect(page.getByRole("heading", { name: t("equipment-import.preview") })).toBeAttached();
  await look(page, "machines to import");
  await press(page, t("equipment-import.sheet.clear"));
  await checkout(page, look, t);
}

async function secondFactor(page: Page, { look }: Stage, t: Words) {
  const context = page.context();
  const { email, call } = await company(context, unique("Factor Works"));
  const boss = `boss.${email}`;
  const { temporaryPassword } = await makeManager(call, boss);
  await visit(page, "/settings", look);
  await visit(page, "/profile", look);
  await press(page, t("second-factor.app.setUp"));
  const dialog = page.getByRole("dialog");
  const secret = await dialog.getByText(/^([A-Z2-7]{4} ){7}[A-Z2-7]{4}$/).innerText();
  await look(page, "an authenticator's secret");
  await dialog.getByLabel(t("auth.ownerLogin.totp")).fill(code(secret.replaceAll(" ", "")));
  await press(page, t("second-factor.app.confirm"));
  await expect(dialog.getByRole("listitem")).toHaveCount(10);
  await look(page, "recovery codes");
  await press(page, t("second-factor.codes.finish"));
  await press(page, t("second-factor.codes.finish"));
  await look(page, "a profile with a second factor");
  for (const question of ["codes.replace", "off.open"]) {
    await press(page, t(`second-factor.${question}`));
    await inAlert(page, question, look);
  }
  await call("PUT", "/api/company-settings/second-factor", { required: true });
  await call("POST", "/api/auth/logout");
  await page.goto("/login");
  const submit = t("auth.ownerLogin.submit");
  const fill = async (name: string, password: string) => {
    await page.getByLabel(t("auth.ownerLogin.name")).fill(name);
    await page.getByLabel(t("auth.password"), { exact: true }).fill(password);
    await press(page, submit);
  };
  await fill(email, ownerPassword);
  await expect(page.getByLabel(t("auth.ownerLogin.totp"))).toBeFocused();
  await look(page, "a sign-in that asks for a code");
  await press(page, t("auth.factor.useRecovery"));
  await look(page, "a sign-in that asks for a recovery code");
  await fill(boss, temporaryPassword);
  const title = t("second-factor.setUp.title");
  await expect(page.getByRole("heading", { level: 1, name: title })).toBeVisible();
  await look(page, "a second factor that is required");
}

/** The pages of the built-in payment provider. */
async function checkout(page: Page, look: Look, t: Words) {
  const wanted = { tier: "professional", billingInterval: "year" };
  const opened = await caller(page.context())("POST", "/api/create-checkout-session", wanted);
  const { url } = v.parse(v.object({ url: v.string() }), opened);
  await visit(page, url, look);
  await press(page, t("sandbox.checkout.decline"));
  await expect(page.getByRole("alert")).toContainText(t("sandbox.checkout.declined"));
  await look(page, "a declined checkout");
  await visit(page, "/sandbox/checkout/unknown", look);
  await visit(page, "/sandbox/portal", look);
}

async function people(page: Page, { look, screen }: Stage, t: Words) {
  await visit(page, "/employees", look);
  if (screen === "phone") await press(page, t("shell.moreActions"));
  for (const dialog of ["form.add", "settings.open", "cards.print"]) {
    await press(page, t(`operators.${dialog}`));
    await inDialog(page, dialog, look);
  }
  await ageSignIn(page, "RevealOperatorPassword");
  await press(page, t("operators.cards.print"));
  const print = t("operators.cards.printCount_one", { cards: 1 });
  await press(page, print);
  await inDialog(page, "the question for the password", look, t("auth.reauth.title"));
  await page.keyboard.press("Escape");

  await press(page, t("operators.managers.add"));
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel(t("operators.form.firstName")).fill("Ann");
  await dialog.getByLabel(t("operators.form.lastName")).fill("Boss");
  const email = `${unique("ann").replace(" ", ".")}@example.com`;
  await dialog.getByLabel(t("operators.managers.email")).fill(email);
  await look(page, "a new manager");
  await dialog.getByRole("button", { name: t("operators.managers.add") }).click();
  await expect(dialog.getByText(t("operators.managers.temporary"))).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(dialog.getByText(t("operators.managers.notCopied"))).toBeVisible();
  await look(page, "a manager's temporary password");
  await dialog.getByRole("button", { name: t("operators.managers.finish") }).click();
  await expect(dialog).toBeHidden();
  const name = "Ann Boss";
  await press(page, t("operators.form.editName", { name }));
  await inDialog(page, "a manager's name", look);
  await press(page, t("operators.remove.name", { name }));
  await inAlert(page, "a manager to remove", look);

  await visit(page, "/profile", look);
  await press(page, t("profile.edit.open"));
  await expect(page.getByLabel(t("profile.firstName")).first()).toBeVisible();
  await press(page, t("profile.password.open"));
  await expect(page.getByLabel(t("profile.password.current"))).toBeVisible();
  await look(page, "the forms of the profile");
}

async function notices(page: Page, { look }: Stage, t: Words) {
  await visit(page, "/subscription", async () => {
    await expect(page.getByText(t("notices.passwordSet.title")).first()).toBeVisible();
    await look(page, "a notice");
  });
  await page.context().clearCookies();
  await page
    .getByRole("link", { name: t("notices.passwordSet.action") })
    .first()
    .click();
  await expect(page.getByRole("heading", { name: t("auth.ended.title") })).toBeVisible();
  await look(page, "please sign in again");
}

async function desk(page: Page, { look, screen, cast: { business } }: Stage, t: Words) {
  await visit(page, "/admin-accounts", look);
  await visit(page, "/employees", look);
  if (screen === "phone") {
    await page.getByRole("button", { name: t("shell.openMenu") }).click();
    await inDialog(page, "support's menu", look);
  }
  await visit(page, "/admin-accounts?search=nobody%20has%20this%20name", look);
  await visit(page, `/admin-accounts?search=${encodeURIComponent(business)}`, look);
  await press(page, t("admin-accounts.limit.name", { name: business }));
  const dialog = page.getByRole("dialog");
  await dialog.getByText(t("admin-accounts.limit.number"), { exact: true }).click();
  await inDialog(page, "an account's limit", look);
  for (const action of ["trial", "plan"]) {
    await press(page, t("admin-accounts.actions", { name: business }));
    await page.getByRole("menuitem", { name: t(`admin-accounts.${action}.action`) }).click();
    await inDialog(page, `an account's ${action}`, look);
  }
  await page.getByRole("link", { name: business, exact: true }).click();
  await press(page, t("admin-accounts.page.reveal"));
  await dialog.getByLabel(t("admin-accounts.reason.label")).fill("A tour of all the screens");
  await look(page, "the reason for a reveal");
  await press(dialog, t("admin-accounts.reveal.submit"));
  await expect(dialog.getByText(t("admin-accounts.reveal.shown"), { exact: true })).toBeVisible();
  await inDialog(page, "a revealed password", look);
  await visit(page, "/password", look);
}

async function oneMachine(
  page: Page,
  { look, cast: { excavator, roller, retired } }: Stage,
  t: Words,
) {
  const path = `/equipment/item/${excavator}`;
  await visit(page, path, look);
  for (const tab of ["notes", "fuel", "history"]) await visit(page, `${path}?tab=${tab}`, look);
  const usage = t("equipment-detail.void.actionFor", {
    kind: t("equipment-detail.kinds.usage"),
    when: "",
  });
  await page.getByRole("button", { name: usage }).first().click();
  await inDialog(page, "void", look);
  const service = t("equipment-detail.edit.actionFor", {
    kind: t("equipment-detail.kinds.service"),
    when: "",
  });
  await page.getByRole("button", { name: service }).first().click();
  await inDialog(page, "a service to edit", look);

  await visit(page, `${path}?tab=service`, look);
  await press(page, t("equipment-detail.tasks.add"));
  await inDialog(page, "a new service task", look);
  const name = "Oil filter";
  await press(page, t("equipment-detail.tasks.doneFor", { name }));
  await inDialog(page, "done", look);
  await press(page, t("equipment-detail.snooze.for", { name }));
  await inDialog(page, "a task to snooze", look);
  await press(page, t("equipment-detail.tasks.deleteFor", { name }));
  await inAlert(page, "a task to delete", look);

  await visit(page, `/equipment/item/${retired}`, look);
  await press(page, t("equipment-detail.retired.restore"));
  await inAlert(page, "restore from the item's page", look);

  await visit(page, `/add-equipment?edit=${roller}`, look);
  await conflict(page, page.context(), roller, t);
  await look(page, "the conflict panel");
}

async function conflict(page: Page, context: BrowserContext, id: string, t: Words) {
  const description = page.getByLabel(t("equipment-form.fields.descriptionLabel"));
  await description.fill("Mine");
  // A different text each time, so that it is a change.
  await caller(context)("PATCH", `/api/equipment/${id}`, { description: unique("Theirs") });
  await press(page, t("equipment-form.fields.update"));
  await expect(page.getByRole("region", { name: t("equipment-form.merge.title") })).toBeVisible();
}

async function premium(page: Page, { look, cast: { premium: id } }: Stage, t: Words) {
  await visit(page, "/?fuel=12-months", look);
  await expect(page.getByText(t("fuel.byMonth")).first()).toBeVisible();
  await visit(page, `/equipment/item/${id}`, look);
  for (const tab of ["fuel", "service"]) {
    await visit(page, `/equipment/item/${id}?tab=${tab}`, look);
  }
  await visit(page, "/add-equipment", look);
  await page.getByText(t("equipment-form.more"), { exact: true }).click();
  await look(page, "more details of a new machine");
}

async function crewScreens(page: Page, { look, screen }: Stage, t: Words) {
  await visit(page, "/", look);
  await page.getByRole("button", { name: new RegExp(t("operator.form.equipment")) }).click();
  await inDialog(page, "the picker", look);
  if (screen === "phone") {
    await page.getByRole("button", { name: t("shell.openMenu") }).click();
    await inDialog(page, "the operator's menu", look);
  }
  await visit(page, "/profile", look);
  await visit(page, "/notifications", look);
}

async function visit(page: Page, path: string, look: Look) {
  await page.goto(path);
  await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
  await expect(page.getByRole("status").filter({ hasText: /^(Loading|Cargando)/ })).toHaveCount(0);
  await look(page, path);
}

function press(where: Page | ReturnType<Page["getByRole"]>, name: string) {
  return where.getByRole("button", { name, exact: true }).first().click();
}

async function inMenu(page: Page, button: string, look: Look, exact = false) {
  await page.getByRole("button", { name: button, exact }).click();
  await expect(page.getByRole("menu")).toBeVisible();
  await look(page, `the menu ${button}`);
  await page.keyboard.press("Escape");
  await expect(page.getByRole("menu")).toBeHidden();
}

const inDialog = (page: Page, name: string, look: Look, title?: string) =>
  inside(page, "dialog", name, look, title);
const inAlert = (page: Page, name: string, look: Look) => inside(page, "alertdialog", name, look);

async function inside(
  page: Page,
  role: "dialog" | "alertdialog",
  name: string,
  look: Look,
  title?: string,
) {
  const dialog = page.getByRole(role, title ? { name: title } : {});
  await expect(dialog.getByRole("heading").first()).toBeVisible();
  await look(page, name);
  await page.keyboard.press("Escape");
  await expect(dialog).toBeHidden();
}
