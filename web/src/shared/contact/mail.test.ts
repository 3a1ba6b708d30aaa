import { describe, expect, it } from "vitest";
import { mailtoUrl } from "./mail";

describe("the address", () => {
  it.each([
    ["help@acme.test", "mailto:help@acme.test?subject=A%26b&body=x%0D%0Ay"],
    ["a&cc=b@acme.test", "mailto:a%26cc%3Db@acme.test?subject=A%26b&body=x%0D%0Ay"],
    [null, "mailto:?subject=A%26b&body=x%0D%0Ay"],
  ])("to %s", (to, url) => {
    expect(mailtoUrl({ to, subject: "A&b", body: "x\ny" })).toBe(url);
  });
});
