import { describe, expect, it } from "vitest";
import { printedPassword } from "./printed-password";
import { sheetsOf, usualPaper } from "./sheets";
import { signInAddress, signInUrl } from "./sign-in-url";

describe("sheetsOf", () => {
  it.each([
    [0, []],
    [1, [1]],
    [8, [8]],
    [9, [8, 1]],
    [403, [...Array.from({ length: 50 }, () => 8), 3]],
  ])("%d cards", (count, sizes) => {
    const cards = Array.from({ length: count }, (_, index) => index);
    expect(sheetsOf(cards).map((sheet) => sheet.length)).toEqual(sizes);
    expect(sheetsOf(cards).flat()).toEqual(cards);
  });
});

describe("usualPaper", () => {
  it.each([
    ["America/Chicago", "letter"],
    ["America/Argentina/Buenos_Aires", "letter"],
    ["Pacific/Honolulu", "letter"],
    ["Pacific/Auckland", "a4"],
    ["Europe/Madrid", "a4"],
    ["UTC", "a4"],
  ])("%s: %s", (zone, paper) => expect(usualPaper(zone)).toBe(paper));
});

describe("the URL on a card", () => {
  it("is the operator login with the username", () => {
    expect(signInUrl("https://app.example", "maria4821")).toBe(
      "https://app.example/employee-login?operator=maria4821",
    );
    expect(signInUrl("https://app.example", "a&b=#c d")).toBe(
      "https://app.example/employee-login?operator=a%26b%3D%23c%20d",
    );
  });

  it("ends with the one-time code", () => {
    expect(signInUrl("https://app.example", "maria4821", "abcde-fghjk")).toBe(
      "https://app.example/employee-login?operator=maria4821#abcde-fghjk",
    );
  });

  it("is short where it is typed", () => {
    expect(signInAddress("https://app.example")).toBe("app.example/employee-login");
    expect(signInAddress("http://192.168.1.5:8080")).toBe("192.168.1.5:8080/employee-login");
  });
});

describe("printedPassword", () => {
  it.each([
    ["dig-deep-77", "dig-deep-77", false],
    [" field  work", "␣field␣␣work", true],
    ["ñ <b>&", "ñ␣<b>&", true],
  ])("%j", (typed, text, hasSpaces) => expect(printedPassword(typed)).toEqual({ text, hasSpaces }));
});
