import { expect, type Page } from "@playwright/test";
import { test, type Open, type Screen } from "./fixtures";
import { toast } from "./people";
import { words, type Language, type Words } from "./words";

const en = words("en");

async function visit(open: Open, screen: Screen, language: Language) {
  const context = await open(screen, language);
  const page = await context.newPage();
  await page.goto("/");
  const t = words(language);
  await isShown(page, t);
  return { context, page, t };
}

/** Opens the page and waits for the plans, which its script loads. */
async function isShown(page: Page, t: Words) {
  await expect(page.getByRole("heading", { level: 1 })).toHaveText(t("landing.hero.title"));
  await expect(plan(page, t, "basic")).toBeVisible();
}

const plan = (page: Page, t: Words, tier: string) =>
  page.getByRole("listitem").filter({
    has: page.getByRole("heading", {
      level: 3,
      name: t(`plans.${tier}.name`),
      exact: true,
    }),
  });

// Price and list price by the month and by the year, to the cent that is charged.
const catalogue = [
  {
    tier: "basic",
    limit: 15,
    month: ["$32", "$40"],
    year: ["$27", "$34"],
    once: "$326.40",
  },
  {
    tier: "professional",
    limit: 30,
    month: ["$54", "$68"],
    year: ["$46", "$58"],
    once: "$550.80",
  },
  {
    tier: "enterprise",
    limit: 65,
    month: ["$100", "$125"],
    year: ["$85", "$106"],
    once: "$1,020",
  },
] as const;

test("the plans have the catalog's prices, on a phone in es", async ({ open }) => {
  const { page, t } = await visit(open, "phone", "es");
  const percent = page.getByText(/20\s?%/);
  await expect(percent.first()).toBeVisible();
  await expect(page.getByText(/15\s?%/).first()).toBeVisible();
  const shows = async (tier: string, [price, list]: readonly [string, string]) => {
    const card = plan(page, t, tier);
    await expect(card.getByText(price, { exact: true })).toBeVisible();
    await expect(card.locator("s")).toContainText(list);
  };
  for (const { tier, limit, month } of catalogue) {
    await shows(tier, month);
    const card = plan(page, t, tier);
    await expect(card.getByText(t("plans.upTo_other", { count: limit }))).toBeVisible();
    await expect(card.getByText(t("plans.billedMonthly"))).toBeVisible();
    await expect(card.getByRole("link", { name: t("landing.plans.choose") })).toHaveAttribute(
      "href",
      `/signup?plan=${tier}`,
    );
  }
  await page.getByText(t("plans.yearly"), { exact: true }).click();
  for (const { tier, year, once } of catalogue) {
    await shows(tier, year);
    await expect(plan(page, t, tier)).toContainText(t("plans.billedYearly", { price: once }));
  }
  await page.getByText(t("plans.monthly"), { exact: true }).click();
  for (const { tier, month } of catalogue) await shows(tier, month);
  const trial = t("common.trialWeeks_other", { count: 4 });
  await expect(page.getByText(t("landing.plans.trial", { trial }))).toBeVisible();
  await expect(page.getByText(t("landing.hero.trial", { trial }))).toBeVisible();
});

test("every link to the application works, on a desktop in en", async ({ open }) => {
  const { page, t } = await visit(open, "desktop", "en");
  const banner = page.getByRole("banner");
  const footer = page.getByRole("contentinfo");
  const start = page.getByRole("link", {
    name: t("landing.hero.getStarted"),
  });
  const heading = page.getByRole("heading", { level: 1 });
  const ways: ReadonlyArray<[open: () => Promise<void>, path: string, title: string]> = [
    [
      () => banner.getByRole("link", { name: t("landing.ownerLogin") }).click(),
      "/login",
      t("auth.ownerLogin.title"),
    ],
    [
      () => banner.getByRole("link", { name: t("landing.operatorLogin") }).click(),
      "/employee-login",
      t("auth.operatorLogin.title"),
    ],
    [() => start.first().click(), "/signup", t("auth.signup.title")],
    [
      () => footer.getByRole("link", { name: t("landing.operatorLogin") }).click(),
      "/employee-login",
      t("auth.operatorLogin.title"),
    ],
  ];
  for (const [press, path, title] of ways) {
    await press();
    await expect(page).toHaveURL(path);
    await expect(heading).toHaveText(title);
    await page.goBack();
    await isShown(page, t);
  }
  await expect(footer.getByRole("link", { name: t("landing.ownerLogin") })).toHaveAttribute(
    "href",
    "/login",
  );
  await expect(footer.getByRole("link", { name: t("landing.plans.choose") })).toHaveAttribute(
    "href",
    "/signup",
  );
  const call = page.waitForResponse(/\/api\/login\/owner$/);
  await page.getByRole("link", { name: t("landing.ownerSignIn") }).click();
  const answer = await call;
  expect(answer.status()).toBe(302);
  expect(answer.headers().location).toBe("/login");
  await expect(page).toHaveURL("/login");
  await expect(heading).toHaveText(t("auth.ownerLogin.title"));
});

test("the contact form requires all fields, and prepares an email with their text", async ({
  open,
}) => {
  const context = await open("desktop", "en", { ownContext: true });
  // Checks the mailto URL instead of the email app.
  await context.addInitScript(() => {
    HTMLAnchorElement.prototype.click = function () {
      document.documentElement.dataset.mail = this.href;
    };
  });
  const page = await context.newPage();
  const calls: string[] = [];
  await page.goto("/");
  await isShown(page, en);
  const send = page.getByRole("button", { name: en("contact.submit") });
  await send.click();
  page.on("request", (request) => calls.push(request.url()));
  const missing = "Please fill out all fields before sending.";
  await expect(page.getByRole("main").getByText(missing)).toBeVisible();
  await expect(toast(page, en("contact.missing"))).toBeVisible();
  const html = page.locator("html");
  await expect(html).not.toHaveAttribute("data-mail");

  const name = page.getByLabel(en("contact.name"), { exact: true });
  const message = page.getByLabel(en("contact.message"));
  await expect(name).toBeFocused();
  await name.fill("Ana & Söhne");
  await page.getByLabel(en("contact.email"), { exact: true }).fill("ana@example.com");
  await page.getByLabel(en("contact.subject")).fill("Plan? a=b&bcc=x@evil.example #1");
  await message.fill("  ");
  await send.click();
  await expect(message).toHaveAttribute("aria-invalid", "true");
  await expect(html).not.toHaveAttribute("data-mail");
  await message.fill("First line\nSecond: 100 % & more");
  await send.click();
  await expect(html).toHaveAttribute("data-mail", /^mailto:/);
  await expect(page.getByText(en("contact.handedOver"))).toBeVisible();
  await expect(message).toHaveValue("First line\nSecond: 100 % & more");

  const written = (await html.getAttribute("data-mail")) ?? "";
  expect(written).not.toMatch(/[\s"<>]/);
  const mail = new URL(written);
  expect([...mail.searchParams.keys()]).toEqual(["subject", "body"]);
  expect(mail.hash).toBe("");
  expect(mail.searchParams.get("subject")).toBe("Plan? a=b&bcc=x@evil.example #1");
  expect(mail.searchParams.get("body")).toBe(
    "First line\r\nSecond: 100 % & more\r\n\r\nAna & Söhne\r\nana@example.com",
  );
  expect(calls.filter((url) => url.includes("/api/") || url.includes("/hourmeter."))).toEqual([]);
});

test("installs if the browser offers it, otherwise shows the steps, on a phone in es", async ({
  open,
}) => {
  const { page, t } = await visit(open, "phone", "es");
  const section = page.getByRole("region", {
    name: t("landing.install.title"),
  });
  const install = t("landing.install.button");
  for (const device of ["ios", "android", "computer"]) {
    const heading = section.getByRole("heading", {
      name: t(`landing.install.${device}.title`),
    });
    await expect(heading).toBeVisible();
  }
  await expect(section.getByText(t("landing.install.ios.share"))).toBeVisible();
  const last = section.getByText(t("landing.install.last")).filter({ visible: true });
  await expect(last).toHaveCount(3);
  // Without an install prompt the button links to the steps, and there is no other button.
  await expect(section.getByRole("button", { name: install })).toHaveCount(0);
  await page.getByRole("link", { name: install }).click();
  await expect(section).toBeInViewport();

  for (const outcome of ["dismissed", "accepted"] as const) {
    await page.evaluate(offer, outcome);
    await expect(page.getByRole("button", { name: install })).toHaveCount(2);
    await section.getByRole("button", { name: install }).click();
    await expect(page.locator("html")).toHaveAttribute("data-asked", outcome);
    // The prompt can be used once.
    await expect(page.getByRole("button", { name: install })).toHaveCount(0);
  }
  await expect(section.getByRole("status")).toHaveText(t("landing.install.installed"));
  await expect(page.getByRole("link", { name: install })).toHaveCount(0);
});

/** Runs in the page: fires the event that Chromium fires for an installable page. */
function offer(outcome: "accepted" | "dismissed") {
  const event = new Event("beforeinstallprompt", { cancelable: true });
  const prompt = () => {
    document.documentElement.dataset.asked = outcome;
    return Promise.resolve();
  };
  Object.assign(event, { prompt, userChoice: Promise.resolve({ outcome }) });
  window.dispatchEvent(event);
  if (!event.defaultPrevented) throw new Error("the browser's own bar would come up too");
}

test("the page does not scroll sideways, and all pictures load", async ({ open }) => {
  const { page } = await visit(open, "phone", "es");
  const fits = async (widths: number[]) => {
    for (const width of widths) {
      await page.setViewportSize({ width, height: 844 });
      const over = await page.evaluate(() => {
        const { scrollWidth, clientWidth } = document.documentElement;
        return scrollWidth - clientWidth;
      });
      expect(over, `${width} px`).toBe(0);
    }
  };
  const html = page.locator("html");
  await expect(html).toHaveAttribute("lang", "es");
  await fits([1440, 1024, 390, 320]);
  const pictures = page.getByRole("main").locator("img");
  for (const picture of await pictures.all()) {
    if (!(await picture.isVisible())) continue;
    await picture.scrollIntoViewIfNeeded();
    await expect(picture).toHaveJSProperty("complete", true);
    expect(await picture.evaluate((image: HTMLImageElement) => image.naturalWidth)).not.toBe(0);
    await expect(picture).toHaveAttribute("alt", /\S/);
  }
  await page.getByRole("button", { name: "EN English" }).first().click();
  await expect(html).toHaveAttribute("lang", "en");
  await fits([390, 320]);
});
