import { describe, expect, it } from "vitest";
import { initialsOf, personName } from "./person";

const unnamed: Parameters<typeof personName>[0] = {
  role: "owner",
  firstName: null,
  lastName: null,
  operatorUsername: null,
  businessName: null,
  email: null,
};

describe("a person", () => {
  it.each([
    [{ firstName: "Dana", lastName: "Ruiz", email: "dana@acme.test" }, "Dana Ruiz"],
    [{ firstName: "Dana", businessName: "Acme" }, "Dana"],
    [
      {
        role: "operator" as const,
        firstName: "",
        operatorUsername: "maria4821",
        businessName: "Acme",
      },
      "maria4821",
    ],
    [{ businessName: "Acme", email: "dana@acme.test" }, "Acme"],
    [{ email: "dana@acme.test" }, "dana@acme.test"],
    [{ role: "operator" as const, firstName: "Dana", businessName: "Acme" }, "Acme"],
    [{}, ""],
  ])("%o is called %s", (known, name) => {
    expect(personName({ ...unnamed, ...known })).toBe(name);
  });

  it.each([
    ["Dana Ruiz", "DR"],
    ["María del Carmen Ñáñez", "MÑ"],
    ["maria4821", "M"],
    ["  Ridgeline   Site Works 775 ", "R7"],
    ["& Sons", "S"],
    ["", ""],
  ])("%s has the initials %s", (name, initials) => {
    expect(initialsOf(name)).toBe(initials);
  });
});
