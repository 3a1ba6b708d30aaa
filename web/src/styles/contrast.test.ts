import { readFileSync } from "node:fs";
import { expect, it } from "vitest";

type Color = readonly [lightness: number, chroma: number, hue: number];
type Tokens = Readonly<Record<string, Color>>;

const css = ["tokens", "contrast"]
  .map((name) => readFileSync(`src/styles/${name}.css`, "utf8"))
  .join("");

/** The colours of the rules with exactly these selectors; later rules win. */
function tokens(...selectors: string[]): Tokens {
  const found: Record<string, Color> = {};
  for (const selector of selectors) {
    for (const [, name = "", body = ""] of css.matchAll(/([^{}]+)\{([^{}]*)\}/g)) {
      if (name.replaceAll(/\/\*.*?\*\//gs, "").trim() !== selector) continue;
      const pattern = /--([\w-]+): oklch\(([\d.]+)% ([\d.]+) ([\d.]+)\)/g;
      for (const [, token = "", lightness, chroma, hue] of body.matchAll(pattern)) {
        found[token] = [Number(lightness) / 100, Number(chroma), Number(hue)];
      }
      for (const [, token = "", source = ""] of body.matchAll(/--([\w-]+): var\(--([\w-]+)\)/g)) {
        const color = found[source];
        if (color) found[token] = color;
      }
    }
  }
  return found;
}

/** Relative luminance of WCAG. */
function luminance([lightness, chroma, hue]: Color): number {
  const angle = (hue * Math.PI) / 180;
  const a = chroma * Math.cos(angle);
  const b = chroma * Math.sin(angle);
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  const channel = (value: number) => Math.min(1, Math.max(0, value));
  const red = channel(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s);
  const green = channel(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s);
  const blue = channel(-0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s);
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(one: Color, other: Color): number {
  const [dark = 0, bright = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (bright + 0.05) / (dark + 0.05);
}

function lowest(colors: Tokens, texts: readonly string[], grounds: readonly string[]): number {
  const color = (name: string) => {
    const found = colors[name];
    if (!found) throw new Error(`no token ${name}`);
    return found;
  };
  return Math.min(
    ...texts.flatMap((text) => grounds.map((ground) => contrast(color(text), color(ground)))),
  );
}

const grounds = ["surface", "raised", "sunken", "accent-soft"];
const dark = '[data-theme="dark"]';
const touch = '[data-density="touch"]';
const high = '[data-contrast="high"]';
const sunlight = `${touch},\n${high}`;
const sunlightDark = `${dark}${touch},\n  ${dark}${high}`;

const light = tokens(":root", sunlight);
const night = tokens(":root", dark, sunlight, sunlightDark);

it.each([
  ["light", light],
  ["dark", night],
])("text of operators' screens has a contrast of 7 : 1, %s", (_, colors) => {
  expect(lowest(colors, ["ink", "muted", "accent", "danger"], grounds)).toBeGreaterThan(7);
  expect(lowest(colors, ["accent-on"], ["accent"])).toBeGreaterThan(7);
});

it.each([
  ["light", tokens(":root", sunlight, `:root${high}`)],
  ["dark", tokens(":root", dark, sunlight, sunlightDark, `:root${high}`)],
])("high contrast has 11 : 1 for secondary text and 3 : 1 for lines, %s", (_, colors) => {
  expect(lowest(colors, ["muted"], grounds)).toBeGreaterThan(11);
  expect(lowest(colors, ["accent", "danger"], grounds)).toBeGreaterThan(7);
  const lines = ["line", "control-line"];
  expect(lowest(colors, lines, ["surface", "raised", "sunken"])).toBeGreaterThan(3);
});
