import { describe, expect, it } from "vitest";
import { providerPlace } from "./provider-place";

describe("a page of this site", () => {
  it.each([
    ["/sandbox/checkout/cs_1", "/sandbox/checkout/cs_1"],
    ["/sandbox/portal?a=1#b", "/sandbox/portal?a=1#b"],
  ])("%s", (answer, path) => {
    expect(providerPlace(answer, "checkout", null)).toEqual({ path });
  });
});

describe("a page of the provider", () => {
  it.each([
    ["checkout", "https://checkout.stripe.com/c/pay/cs_test_1#frag"],
    ["portal", "https://billing.stripe.com/p/session/1"],
  ] as const)("%s", (page, answer) => {
    expect(providerPlace(answer, page, null)).toEqual({ href: answer });
  });

  it("may be on another host in tests", () => {
    const answer = "http://127.0.0.1:12111/pay/1";
    expect(providerPlace(answer, "checkout", "127.0.0.1:12111")).toEqual({ href: answer });
    expect(providerPlace(answer, "checkout", "127.0.0.1:12112")).toBeNull();
    expect(providerPlace(answer, "checkout", null)).toBeNull();
  });
});

describe("other URLs are not followed", () => {
  it.each([
    "",
    "sandbox/checkout/cs_1",
    "//evil.test/pay",
    "/\\evil.test/pay",
    "/\t/evil.test/pay",
    "/\n/evil.test/pay",
    "\\\\evil.test",
    "/.//evil.test",
    " //evil.test",
    "http://checkout.stripe.com/c/pay/1",
    "https://checkout.stripe.com.evil.test/c/pay/1",
    "https://checkout.stripe.com:8443/c/pay/1",
    "https://me:secret@checkout.stripe.com/c/pay/1",
    "https://checkout.stripe.com@evil.test/",
    "https://evil.test/https://checkout.stripe.com/",
    "https://billing.stripe.com/p/session/1",
    "javascript:alert(1)",
    "data:text/html,hello",
    "https://",
  ])("%j", (answer) => {
    expect(providerPlace(answer, "checkout", null)).toBeNull();
  });

  it("the portal is not where a checkout is", () => {
    expect(providerPlace("https://checkout.stripe.com/c/pay/1", "portal", null)).toBeNull();
  });
});
