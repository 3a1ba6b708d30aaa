import { expect, type Browser, type BrowserContext, type Page } from "@playwright/test";
import { demoOwner } from "./demo";
import { caller, company, machine, open, operator, operatorIn, rows, unique } from "./people";
import type { Screen } from "./people";
import { words, type Language, type Words } from "./words";

/** What looks at a screen that is open now. */
export type Look = (page: Page, screen: string) => Promise<void>;

type Cookies = Awaited<ReturnType<typeof company>>["signedIn"]["cookies"];

/** A company with something on every screen, and who is signed in to it. */
export interface Cast {
  owner: Cookies;
  crew: Cookies;
  demo: Cookies;
  excavator: string;
  roller: string;
  retired: string;
  /** A machine of the demo company. */
  premium: string;
}

export async function cast(browser: Browser): Promise<Cast> {
  const office = await open(browser, "desktop", "en");
  const made = await company(office, unique("Screen Works"));
  const { call } = made;
  const excavator = await machine(call, "Excavator", {
    currentUsage: 1300,
    lastServiceUsage: 1000,
    serialNumber: "CAT0320EKZZ",
    threshold: 12000,
  });
  await call("PATCH", `/api/equipment/${excavator}/usage`, { usageIncrease: 10, fuelAdded: 12.5 });
  await call("POST", `/api/equipment/${excavator}/notes`, { content: "Track is loose." });
  const task = { name: "Oil filter", usageInterval: 500 };
  await call("POST", `/api/equipment/${excavator}/service-tasks`, task);
  const crane = await machine(call, "Crane", { threshold: 1200, serviceInterval: 0 });
  await machine(call, "Mixer", { currentUsage: 220, lastServiceUsage: 0 });
  const roller = await machine(call, "Roller");
  const retired = await machine(call, "Old loader");
  await call("POST", `/api/equipment/${retired}/retire`, { retirementNotes: "Sold." });
  const username = await operator(call);
  const field = await open(browser, "phone", "es");
  await operatorIn(field, username);
  const report = caller(field);
  for (const newUsage of [1010, 900]) {
    await report("POST", "/api/operator-updates", { equipmentId: crane, newUsage, fuelAdded: 10 });
  }
  const show = await open(browser, "desktop", "en");
  await demoOwner(show);
  const [first] = await rows(caller(show), "/api/equipment");
  const signed = {
    owner: made.signedIn.cookies,
    crew: (await field.storageState()).cookies,
    demo: (await show.storageState()).cookies,
  };
  for (const context of [office, field, show]) await context.close();
  return { ...signed, excavator, roller, retired, premium: String(first?.id) };
}

/** Where a walk takes place. */
export interface Stage {
  browser: Browser;
  cast: Cast;
  screen: Screen;
  language: Language;
  look: Look;
  /** Of the browser's context. */
  options?: object;
  prepare?: (page: Page) => void;
}

type Walk = (page: Page, stage: Stage, t: Words) => Promise<void>;

interface Tour {
  as: "owner" | "crew" | "demo" | "guest";
  walk: Walk;
}

/** Every screen and dialog of the product, by whose they are. */
export const tours: Record<string, Tour> = {
  "the visitor's screens": { as: "guest", walk: guestScreens },
  "the manager's dashboard": { as: "owner", walk: dashboard },
  "the lists": { as: "owner", walk: lists },
  "the office": { as: "owner", walk: office },
  "one machine": { as: "owner", walk: oneMachine },
  "premium features": { as: "demo", walk: premium },
  "the operator's screens": { as: "crew", walk: crewScreens },
};

export async function take(tour: Tour, stage: Stage) {
  const { browser, screen, language, options, prepare } = stage;
  const cookies = tour.as === "guest" ? [] : stage.cast[tour.as];
  const storageState = { cookies, origins: [] };
  const context = await open(browser, screen, language, { storageState, ...options });
  const page = await context.newPage();
  prepare?.(page);
  await tour.walk(page, stage, words(language));
  await context.close();
}

async function guestScreens(page: Page, { look }: Stage) {
  for (const path of ["/", "/login", "/employee-login", "/signup"]) await visit(page, path, look);
}

async function dashboard(page: Page, { look, screen }: Stage, t: Words) {
  await visit(page, "/", look);
  const waiting = t("updates.queue.count_other", { count: 2 });
  await expect(page.getByRole("main").getByText(waiting).first()).toBeVisible();
  if (screen === "phone") {
    await page.getByRole("button", { name: t("shell.openMenu") }).click();
    await inDialog(page, "the slide-in menu", look);
  } else {
    await inMenu(page, t("shell.more"), look);
    await inMenu(page, t("shell.account", { name: "" }), look);
  }
  const label = t("equipment.actions.label", { name: "Excavator" });
  await inMenu(page, label, look);
  for (const action of ["updateUsage", "viewNotes", "markServiced", "delete"]) {
    await page.getByRole("button", { name: label }).click();
    await page.getByRole("menuitem", { name: t(`equipment.actions.${action}`) }).click();
    await inDialog(page, action, look);
  }
  const below = page.getByRole("listitem").filter({ hasText: t("updates.flags.belowMeter") });
  await press(below, t("updates.queue.apply"));
  await inDialog(page, "a reading below the meter", look);
  await press(below, t("updates.queue.reject"));
  await inDialog(page, "a rejection", look);
}

async function lists(page: Page, { look, screen }: Stage, t: Words) {
  await visit(page, "/equipment-list", look);
  if (screen === "phone") {
    await inMenu(page, t("equipment.actions.label", { name: "Excavator" }), look);
  }
  await visit(page, "/equipment-list?search=nothing", look);
  for (const status of ["all", "good", "approaching", "due", "overdue"]) {
    await visit(page, `/equipment/${status}`, look);
  }
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
    "/employees",
  ]) {
    await visit(page, path, look);
  }
  for (const dialog of ["operators.form.add", "operators.settings.open"]) {
    await press(page, t(dialog));
    await inDialog(page, dialog, look);
  }
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

  await visit(page, `${path}?tab=service`, look);
  await press(page, t("equipment-detail.tasks.add"));
  await inDialog(page, "a new service task", look);
  const name = "Oil filter";
  await press(page, t("equipment-detail.tasks.doneFor", { name }));
  await inDialog(page, "done", look);
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
  const description = page.getByLabel(t("equipment.form.descriptionLabel"));
  await description.fill("Mine");
  // Another text each time, so that it is a change each time.
  await caller(context)("PATCH", `/api/equipment/${id}`, { description: unique("Theirs") });
  await press(page, t("equipment.form.update"));
  await expect(page.getByRole("region", { name: t("equipment-form.merge.title") })).toBeVisible();
}

async function premium(page: Page, { look, cast: { premium: id } }: Stage, t: Words) {
  // Another journey resets the fuel of the demo company; a year of it is there all the same.
  await visit(page, "/?fuel=12-months", look);
  await expect(page.getByText(t("fuel.byMonth")).first()).toBeVisible();
  await visit(page, `/equipment/item/${id}`, look);
  for (const tab of ["fuel", "service"]) {
    await visit(page, `/equipment/item/${id}?tab=${tab}`, look);
  }
  await visit(page, "/add-equipment", look);
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

async function inMenu(page: Page, button: string, look: Look) {
  await page.getByRole("button", { name: button }).click();
  await expect(page.getByRole("menu")).toBeVisible();
  await look(page, `the menu ${button}`);
  await page.keyboard.press("Escape");
  await expect(page.getByRole("menu")).toBeHidden();
}

const inDialog = (page: Page, name: string, look: Look) => inside(page, "dialog", name, look);
const inAlert = (page: Page, name: string, look: Look) => inside(page, "alertdialog", name, look);

async function inside(page: Page, role: "dialog" | "alertdialog", name: string, look: Look) {
  const dialog = page.getByRole(role);
  await expect(dialog.getByRole("heading").first()).toBeVisible();
  await look(page, name);
  await page.keyboard.press("Escape");
  await expect(dialog).toBeHidden();
}
