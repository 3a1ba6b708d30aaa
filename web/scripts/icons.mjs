// Renders the app's icons from public/icon.svg to PNG with Chromium.
import { readFileSync, writeFileSync } from "node:fs";
import { chromium } from "@playwright/test";

const folder = new URL("../public/", import.meta.url);
const svg = readFileSync(new URL("icon.svg", folder), "utf8");
// Phones crop maskable icons and round an iPhone's icon: the background fills the square, and the
// gauge stays in the middle.
const whole = svg
  .replace(/ rx="[^"]*"/, "")
  .replace('viewBox="0 0 32 32"', 'viewBox="-4 -4 40 40"');
const filled = whole
  .replace("<rect ", '<rect x="-4" y="-4" ')
  .replace(/(width|height)="32"/g, '$1="40"');

const icons = [
  ["icon-192.png", 192, svg],
  ["icon-512.png", 512, svg],
  ["icon-maskable-512.png", 512, filled],
  ["apple-touch-icon.png", 180, filled],
];

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM_PATH ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu"],
});
for (const [name, size, source] of icons) {
  const page = await browser.newPage({ viewport: { width: size, height: size } });
  const sized = source.replace("<svg ", `<svg width="${size}" height="${size}" `);
  await page.setContent(`<body style="margin:0;line-height:0">${sized}</body>`);
  writeFileSync(new URL(name, folder), await page.screenshot({ omitBackground: true }));
  await page.close();
}
await browser.close();
