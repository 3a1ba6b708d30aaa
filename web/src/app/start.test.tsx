import { act, screen } from "@testing-library/react";
import type { Root } from "react-dom/client";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { changeLanguage } from "#/i18n";
import { operator, owner, stubRest, visitor } from "#/test/render-app";
import { lastAudience } from "./known-device";
import { start } from "./start";

let element: HTMLElement;
let root: Root;

/** The page as the browser opens it at `path`. */
async function open(path: string, user: { status: number; body?: unknown }) {
  const calls = stubRest({ "GET /api/auth/user": user });
  window.history.replaceState(null, "", path);
  // oxlint-disable-next-line typescript/require-await -- React wants its work awaited
  await act(async () => {
    root = start(element);
  });
  return calls;
}

beforeEach(async () => {
  document.cookie = "known=; Path=/; Max-Age=0";
  await changeLanguage("en");
  element = document.createElement("div");
  document.body.append(element);
});
afterEach(() => {
  act(() => root.unmount());
  element.remove();
  vi.unstubAllGlobals();
});

describe("the application", () => {
  it("opens for an owner, asks once who is signed in and remembers the device", async () => {
    const calls = await open("/", { status: 200, body: owner });
    expect(await screen.findByRole("heading", { level: 1, name: "Dashboard" })).toBeTruthy();
    expect(calls.filter(({ path }) => path === "/api/auth/user")).toHaveLength(1);
    expect(lastAudience()).toBe("manager");
  });

  it("opens for an operator and remembers the device", async () => {
    await open("/", { status: 200, body: operator });
    expect(await screen.findByRole("heading", { name: "Equipment Updates" })).toBeTruthy();
    expect(lastAudience()).toBe("operator");
  });

  it("opens for a visitor and does not remember the device", async () => {
    await open("/employee-login", visitor);
    expect(await screen.findByRole("heading", { level: 1, name: "Operator Login" })).toBeTruthy();
    expect(lastAudience()).toBeUndefined();
  });
});
