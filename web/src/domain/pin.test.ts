import { expect, it } from "vitest";
import { pinProblem } from "./pin";

it.each(["", "123", "123456789", "12a4", " 1357", "١٢٣٤"])("%j has a wrong form", (pin) => {
  expect(pinProblem(pin)).toBe("form");
});

it.each(["0000", "77777777", "1234", "45678", "9876", "1212", "123123", "1987", "2024", "2580"])(
  "%s is easy to guess",
  (pin) => expect(pinProblem(pin)).toBe("easy"),
);

it.each(["4073", "1357", "2187", "90210", "52719364", "8901"])("%s is accepted", (pin) => {
  expect(pinProblem(pin)).toBeNull();
});
