// Takes the landing page's pictures from the demo company. BASE_URL: a running product with demo
// data; DEMO_LOG: its output at startup.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { chromium } from "@playwright/test";

const base = process.env.BASE_URL ?? "http://127.0.0.1:8080";
const log = readFileSync(process.env.DEMO_LOG, "utf8");
const out = new URL("../src/features/landing/shots/", import.meta.url);
mkdirSync(out, { recursive: true });

const [, email, ownerPassword] = /owner .*\n\s+(\S+@\S+)\s{3}(\S+)/.exec(log) ?? [];
const [, operatorName, operatorPassword] = /operators .*\n\s+(\S+)\s{3}(\S+)/.exec(log) ?? [];
if (!email || !operatorName) throw new Error(`no demo company in ${process.env.DEMO_LOG}`);
const people = {
  owner: ["/api/auth/login", { emailOrBusinessName: email, password: ownerPassword }],
  operator: ["/api/employee/login", { operatorName, password: operatorPassword }],
};

// The size on the page; a cropped part need not be loaded.
const desk = { viewport: { width: 1280, height: 636 }, deviceScaleFactor: 1.5 };
const tablet = { viewport: { width: 860, height: 760 }, deviceScaleFactor: 1.6 };
const phone = { viewport: { width: 390, height: 792 }, deviceScaleFactor: 2, isMobile: true };
const phoneTop = { ...phone, viewport: { width: 390, height: 460 }, deviceScaleFactor: 1.6 };

/** A machine that needs service now. */
async function machinePath(context) {
  const rows = await (await context.request.get(`${base}/api/equipment`)).json();
  const due = rows.find((row) => row.serviceStatus === "time_for_service") ?? rows[0];
  return `/equipment/item/${due.id}`;
}

/** A phone shows the machines as cards below the tiles. */
async function toTheCards(page) {
  const cards = page.getByRole("heading", { level: 2 }).first();
  await cards.evaluate((heading) => {
    const top = heading.getBoundingClientRect().top + window.scrollY;
    window.scrollTo(0, top - 72);
  });
}

/** The form before it is sent. */
async function fillIn(page, language) {
  const words =
    language === "en"
      ? { equipment: /^Equipment/, reading: /reading \(hours\)/i }
      : { equipment: /^Equipo/, reading: /\(horas\)/i };
  await page.getByRole("button", { name: words.equipment }).click();
  await page
    .getByRole("dialog")
    .getByRole("button", { name: /CAT 320/ })
    .first()
    .click();
  await page.getByRole("dialog").waitFor({ state: "hidden" });
  const last = await page
    .getByText(/ · .* \d+:\d\d/)
    .first()
    .textContent();
  const reading = Number(/([\d,.]+)\sh/.exec(last)[1].replaceAll(",", ""));
  await page.getByLabel(words.reading).fill(String(reading + 7.5));
  await page.evaluate(() => {
    document.activeElement?.blur();
    window.scrollTo(0, 0);
  });
}

const shots = [
  { name: "dashboard", who: "owner", screen: desk, path: () => "/" },
  { name: "cards", who: "owner", screen: phoneTop, path: () => "/", prepare: toTheCards },
  { name: "machine", who: "owner", screen: tablet, path: machinePath },
  { name: "operator", who: "operator", screen: phone, path: () => "/operator", prepare: fillIn },
];

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM_PATH ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu", "--hide-scrollbars"],
});
const encoder = await (await browser.newContext()).newPage();

/** Chromium encodes WebP itself, so no other tool is needed. */
async function webp(png, quality) {
  const url = await encoder.evaluate(
    async ([data, quality]) => {
      const blob = await (await fetch(`data:image/png;base64,${data}`)).blob();
      const bitmap = await createImageBitmap(blob);
      const canvas = Object.assign(document.createElement("canvas"), {
        width: bitmap.width,
        height: bitmap.height,
      });
      canvas.getContext("2d").drawImage(bitmap, 0, 0);
      return canvas.toDataURL("image/webp", quality);
    },
    [png.toString("base64"), quality],
  );
  return Buffer.from(url.slice(url.indexOf(",") + 1), "base64");
}

for (const language of ["en", "es"]) {
  for (const colorScheme of ["light", "dark"]) {
    for (const { name, who, screen, path, prepare } of shots) {
      const context = await browser.newContext({
        ...screen,
        colorScheme,
        locale: language === "en" ? "en-US" : "es-MX",
        timezoneId: "America/Chicago",
        reducedMotion: "reduce",
        serviceWorkers: "block",
      });
      const [login, data] = people[who];
      const headers = { "X-Requested-With": "XMLHttpRequest" };
      const answer = await context.request.post(base + login, { data, headers });
      if (!answer.ok()) throw new Error(`${who} can't sign in: ${answer.status()}`);
      const page = await context.newPage();
      await page.goto(base + (await path(context)));
      // The live stream stays open, so the network is never idle.
      await page.getByRole("heading", { level: 1 }).waitFor();
      // The space of the hidden scrollbar would be a strip at the edge.
      await page.evaluate(() => {
        document.documentElement.style.scrollbarGutter = "auto";
      });
      await page.waitForTimeout(1_500);
      await prepare?.(page, language);
      await page.waitForTimeout(300);
      const file = `${name}-${language}-${colorScheme}.webp`;
      const picture = await webp(await page.screenshot(), 0.74);
      writeFileSync(new URL(file, out), picture);
      console.log(file, picture.length);
      await context.close();
    }
  }
}
await browser.close();
