import { expect, it } from "vitest";
import { phoneNumberText } from "./phone-number";

it.each([
  ["+18305550199", "+1 830 555 0199"],
  ["+528155550199", "+52 81 5555 0199"],
  ["+526565550199", "+52 656 555 0199"],
  ["+4915112345678", "+4915112345678"],
  ["+1830555019", "+1830555019"],
  ["", ""],
])("%s is written as %s", (number, text) => {
  expect(phoneNumberText(number)).toBe(text);
});
