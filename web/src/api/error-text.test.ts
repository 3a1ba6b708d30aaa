import { readFileSync } from "node:fs";
import { join } from "node:path";
import i18next from "i18next";
import * as v from "valibot";
import { describe, expect, it } from "vitest";
import { changeLanguage } from "#/i18n";
import { failureText, fieldMessage, sentenceText } from "./error-text";
import { toFailure } from "./errors";
import { RestError } from "./failure";

const readTexts = (...path: string[]) => {
  const file = join(import.meta.dirname, ...path);
  return v.parse(
    v.pipe(v.string(), v.parseJson(), v.record(v.string(), v.string())),
    readFileSync(file, "utf8"),
  );
};
/** The English texts of the services and the gateway by code. */
const sentences = readTexts("../../../proto/testdata/refusals.json");
const en = readTexts("../i18n/locales/en/refusals.json");
const es = readTexts("../i18n/locales/es/refusals.json");

const parameters = (sentence: string) =>
  [...sentence.matchAll(/\{(\w+)\}/g)].map(([, name]) => name).toSorted();

function said(body: object): string {
  const failure = toFailure(new RestError(400, JSON.stringify(body)));
  return failureText(i18next.t, failure, "errors.server");
}

describe("refusals of the server", () => {
  it("have a text for every code and no other", () => {
    expect(Object.keys(en).toSorted()).toEqual(Object.keys(sentences).toSorted());
    expect(Object.keys(es).toSorted()).toEqual(Object.keys(sentences).toSorted());
  });

  it.each(Object.entries(sentences))("%s has Spanish words and only known values", (code, text) => {
    expect(es[code]).not.toBe(en[code]);
    const values = parameters(text);
    expect(values).toEqual(expect.arrayContaining(parameters(en[code] ?? "")));
    expect(parameters(es[code] ?? "")).toEqual(parameters(en[code] ?? ""));
  });

  it("are translated by code, with their values, regardless of the server's text", async () => {
    const body = { message: "Anything.", code: "BETWEEN", parameters: { min: "1", max: "365" } };
    await changeLanguage("es");
    expect(said(body)).toBe("Debe ser de 1 a 365.");
    await changeLanguage("en");
    expect(said(body)).toBe("Must be 1 to 365.");
  });

  it("are translated by the text's own code if several share a code", async () => {
    const body = {
      message: "Your subscription is paused.",
      code: "SUBSCRIPTION_STATE",
      textCode: "SUBSCRIPTION_PAUSED",
    };
    await changeLanguage("es");
    expect(said(body)).toBe("Tu suscripción está en pausa.");
  });

  it("are shown as received from a newer or older server", async () => {
    await changeLanguage("es");
    expect(said({ message: "A new sentence.", code: "NEW_CODE" })).toBe("A new sentence.");
    expect(said({ message: "An old sentence." })).toBe("An old sentence.");
    expect(said({ message: "Must be 1 to 365.", code: "BETWEEN" })).toBe("Must be 1 to 365.");
  });

  it("follow the language under fields if they have no values", () => {
    const { fields } = toFailure(
      new RestError(
        400,
        JSON.stringify({
          message: "Name is required",
          fields: { name: "Name is required", "parts[0].notes": "Must be at most 5 characters." },
          fieldCodes: { name: "NAME_MISSING", "parts[0].notes": "TEXT_TOO_LONG" },
          parameters: { "parts[0].notes.max": "5" },
        }),
      ),
    );
    const messages = Object.values(fields).map(fieldMessage);
    expect(messages).toEqual(["refusals.NAME_MISSING", "Debe tener como máximo 5 caracteres."]);
  });
});

it("writes numbers in the reader's language", async () => {
  await changeLanguage("en");
  const text = (next: string) =>
    sentenceText(i18next.t, { code: "READING_ABOVE_NEXT", params: { next }, text: null });
  expect(text("40000")).toBe("The meter was read at 40,000 after this.");
  expect(text("7000.5")).toBe("The meter was read at 7,000.5 after this.");
  expect(text("905")).toBe("The meter was read at 905 after this.");
});
