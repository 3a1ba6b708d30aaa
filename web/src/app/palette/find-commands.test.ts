import { describe, expect, it } from "vitest";
import texts from "#/i18n/locales/es/commands.json";
import { matches, parseCommand } from "./find-commands";

const english = [
  { command: "reading", words: "reading meter usage update" },
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
    ["update usage", { command: "reading", isComplete: true, name: "" }],
    ["update usage of 310SL", { command: "reading", isComplete: true, name: "310SL" }],
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

  it.each([
    ["mark as serviced", { command: "service", isComplete: true, name: "" }],
    ["Mark serviced 310SL", { command: "service", isComplete: true, name: "310SL" }],
    ["mark as", null],
  ])("skips the verb of %s", (search, expected) => {
    expect(parseCommand(search, english, "for of the", "mark as")).toEqual(expected);
  });

  it("knows the texts of the Spanish buttons", () => {
    const { reading, service, filler, verbs } = texts.words;
    const commands = [
      { command: "reading", words: reading },
      { command: "service", words: service },
    ] as const;
    const found = (search: string) => parseCommand(search, commands, filler, verbs);
    expect(found("Registrar servicio")).toMatchObject({ command: "service", name: "" });
    expect(found("registrar servicio de 310SL")).toMatchObject({ name: "310SL" });
    expect(found("Actualizar uso")).toMatchObject({ command: "reading", name: "" });
    expect(found("actualizar el uso del camión")).toMatchObject({ name: "camión" });
  });

  it("takes the beginning of a loader's name for no command", () => {
    const fuel = [{ command: "fuel", words: texts.words.fuel }];
    expect(parseCommand("car", fuel, "")).toBeNull();
    expect(parseCommand("cargador", fuel, "")).toBeNull();
  });
});
