import { describe, expect, it } from "vitest";
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
    ["reading for 310SL", { command: "reading", name: "310SL" }],
    ["read the Dump truck", { command: "reading", name: "Dump truck" }],
    ["serviced", { command: "service", name: "" }],
    ["re", null],
    ["310SL", null],
  ])("splits %s", (search, expected) => {
    expect(parseCommand(search, english, "for of the")).toEqual(expected);
  });

  it("knows Spanish words with and without accents", () => {
    const expected = { command: "reading", name: "camión" };
    expect(parseCommand("lectura del camión", spanish, "de del")).toEqual(expected);
    expect(parseCommand("horometro de camión", spanish, "de del")).toEqual(expected);
  });
});
