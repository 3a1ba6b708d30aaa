import { act, fireEvent, screen, waitFor } from "@testing-library/react";
import type { Root } from "react-dom/client";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { changeLanguage } from "#/i18n";
import { catalogue } from "#/test/plans";
import { operator, owner, stubRest, visitor } from "#/test/render-app";
import { isKnownDevice } from "./known-device";
import { start } from "./start";

const plans = { status: 200, body: catalogue };
let element: HTMLElement;
let root: Root;

/** The page as the browser opens it at `path`. */
async function open(path: string, user: { status: number; body?: unknown }) {
  const calls = stubRest({ "GET /api/auth/user": user, "GET /api/plans": plans });
  window.history.replaceState(null, "", path);
  // oxlint-disable-next-line typescript/require-await -- React wants its work awaited
  await act(async () => {
    root = start(element);
  });
  return calls;
}

const landing = "Know which machine needs service before it stops.";

beforeEach(async () => {
  await changeLanguage("en");
  element = document.createElement("div");
  document.body.append(element);
});
afterEach(() => {
  act(() => root.unmount());
  element.remove();
  vi.unstubAllGlobals();
});

describe("a first visit", () => {
  it("shows the landing page before it is known who is there", async () => {
    stubRest({});
    const answer = Promise.withResolvers<Response>();
    vi.stubGlobal("fetch", () => answer.promise);
    window.history.replaceState(null, "", "/");
    // oxlint-disable-next-line typescript/require-await -- React wants its work awaited
    await act(async () => {
      root = start(element);
    });
    expect(screen.getByRole("heading", { level: 1, name: landing })).toBeTruthy();
    expect(screen.getByRole("link", { name: "Skip to content" })).toBeTruthy();
    await act(async () => {
      answer.reject(new TypeError("no connection"));
      await answer.promise.catch(() => undefined);
    });
    expect(screen.getByRole("heading", { level: 1, name: landing })).toBeTruthy();
  });

  it("goes on to a login without loading the page again", async () => {
    const calls = await open("/", visitor);
    const [link] = screen.getAllByRole("link", { name: "Owner Login" });
    if (!link) throw new Error("no link");
    fireEvent.click(link);
    const heading = await screen.findByRole("heading", { level: 1, name: "Owner Login" });
    expect(window.location.pathname).toBe("/login");
    await waitFor(() => expect(document.activeElement).toBe(heading));
    expect(screen.queryByText(landing)).toBeNull();
    expect(isKnownDevice()).toBe(false);
    // Who is there was asked once, by the landing page.
    expect(calls.filter(({ path }) => path === "/api/auth/user")).toHaveLength(1);
  });

  it("gives way to the application where somebody is signed in after all", async () => {
    await open("/", { status: 200, body: operator });
    expect(await screen.findByRole("heading", { name: "Equipment Updates" })).toBeTruthy();
    expect(screen.queryByText(landing)).toBeNull();
    expect(isKnownDevice()).toBe(true);
  });
});

describe("the application", () => {
  it("opens at once on a device that somebody signed in on", async () => {
    localStorage.setItem("knownDevice", "1");
    await open("/", { status: 200, body: owner });
    expect(screen.queryByText(landing)).toBeNull();
    expect(await screen.findByRole("heading", { level: 1, name: "Dashboard" })).toBeTruthy();
  });

  it("opens at every other address", async () => {
    await open("/employee-login", visitor);
    expect(await screen.findByRole("heading", { level: 1, name: "Operator Login" })).toBeTruthy();
  });
});
