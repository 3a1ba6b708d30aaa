import { describe, expect, it } from "vitest";
import texts from "#/i18n/locales/es/commands.json";
import { matches, parseCommand } from "./find-commands";

const english = [
  { command: "reading", words: "reading meter" },
  { command: "service", words: "serviced service" },
] as const;
const spanish = [{ command: "reading", words: "lectura horómetro" }] as const;

describe("matches", () => {
  it("needs every word, without case and accents", () => {
    expect(matches("José Núñez jose4821", "NUNEZ jo")).toBe(true);
    expect(matches("José Núñez", "jose perez")).toBe(false);
  });
});

describe("parseCommand", () => {
  it.each([
    ["reading for 310SL", { command: "reading", isComplete: true, name: "310SL" }],
    ["read the Dump truck", { command: "reading", isComplete: false, name: "Dump truck" }],
    ["serviced", { command: "service", isComplete: true, name: "" }],
    ["re", null],
    ["310SL", null],
  ])("splits %s", (search, expected) => {
    expect(parseCommand(search, english, "for of the")).toEqual(expected);
  });

  it("knows Spanish words with and without accents", () => {
    const expected = { command: "reading", isComplete: true, name: "camión" };
    expect(parseCommand("lectura del camión", spanish, "de del")).toEqual(expected);
    expect(parseCommand("horometro de camión", spanish, "de del")).toEqual(expected);
  });

  it("takes the beginning of a loader's name for no command", () => {
    const fuel = [{ command: "fuel", words: texts.words.fuel }];
    expect(parseCommand("car", fuel, "")).toBeNull();
    expect(parseCommand("cargador", fuel, "")).toBeNull();
  });
});
