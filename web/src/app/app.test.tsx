import { fireEvent, screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it, vi } from "vitest";
import { pushPersonKey } from "#/device/push";
import { changeLanguage } from "#/i18n";
import { setContrast } from "#/shared/contrast";
import { setTheme } from "#/shared/theme";
import { stubPushBrowser } from "#/test/push-browser";
import { operator, owner, renderApp, stubRest, visitor } from "#/test/render-app";

const as = (user: object) => ({ "GET /api/auth/user": { status: 200, body: user } });
const landing = { name: "Know which machine needs service before it stops." };
const spanishLanding = { name: "Sabrás qué máquina necesita servicio antes de que se pare." };

describe("pages by audience", () => {
  it.each(["/", "/no-such-page", "/security-questions"])(
    "a visitor at %s: landing",
    async (path) => {
      stubRest({ "GET /api/auth/user": visitor });
      await renderApp(path);
      expect(await screen.findByRole("heading", landing)).toBeTruthy();
    },
  );

  it("a visitor at an operator path is asked to sign in as operator", async () => {
    stubRest({ "GET /api/auth/user": visitor });
    await renderApp("/simple-operator");
    expect(await screen.findByRole("heading", { name: "Operator Login" })).toBeTruthy();
  });

  it.each(["/", "/employee-login", "/operator", "/simple-operator", "/security-questions", "/x/y"])(
    "an operator at %s: operator dashboard",
    async (path) => {
      stubRest(as(operator));
      await renderApp(path);
      expect(
        await screen.findByRole("heading", { level: 1, name: "Equipment Updates" }),
      ).toBeTruthy();
      await waitFor(() => expect(document.title).toBe("Equipment Updates - Equipment Management"));
    },
  );

  it("an owner at an unknown path sees the 404 page inside the shell", async () => {
    stubRest(as(owner));
    await renderApp("/no-such-page");
    expect(await screen.findByRole("heading", { name: "Page not found" })).toBeTruthy();
    expect(screen.getAllByRole("button", { name: "Logout" }).length).toBeGreaterThan(0);
  });

  it("an owner at the login is redirected to the dashboard", async () => {
    stubRest(as(owner));
    const { router } = await renderApp("/login");
    await screen.findByRole("heading", { level: 1, name: "Dashboard" });
    expect(router.state.location.pathname).toBe("/");
  });

  it("shows an error with a retry when the session can't be loaded", async () => {
    let up = false;
    stubRest({
      "GET /api/auth/user": () => (up ? visitor : { status: 503, body: { message: "busy" } }),
    });
    await renderApp("/");
    await screen.findByRole("heading", { name: "This page could not be shown" });
    up = true;
    fireEvent.click(screen.getByRole("button", { name: "Try again" }));
    expect(await screen.findByRole("heading", landing)).toBeTruthy();
  });
});

describe("shell", () => {
  it("logs out even when the calls fail, and removes the user's data from the device", async () => {
    const calls = stubRest({ ...as(owner), "POST /api/auth/logout": { status: 500 } });
    const { queryClient } = await renderApp("/");
    await screen.findByRole("heading", { level: 1, name: "Dashboard" });
    localStorage.setItem("operatorUsername", "maria4821");
    setTheme("dark");
    await changeLanguage("es");
    setContrast("high");
    sessionStorage.setItem("draft", "x");
    queryClient.setQueryData(["equipment"], ["secret"]);
    fireEvent.click(screen.getByRole("button", { name: "Cerrar sesión" }));
    // The sign-in page of a phone has the language and contrast that were used last on it.
    expect(await screen.findByRole("heading", spanishLanding)).toBeTruthy();
    expect(Object.entries(localStorage).toSorted()).toEqual([
      ["contrast", "high"],
      ["language", "es"],
    ]);
    expect(document.documentElement.dataset.contrast).toBe("high");
    expect(document.documentElement.dataset.theme).toBe("light");
    expect(sessionStorage.length).toBe(0);
    expect(queryClient.getQueryData(["equipment"])).toBeUndefined();
    const made = calls.map((call) => `${call.method} ${call.path}`);
    expect(made).toContain("POST /api/auth/logout");
    const last = calls.find((call) => call.path === "/api/logout");
    expect(last?.headers.get("X-Requested-With")).toBe("XMLHttpRequest");
  });

  it("ends the notifications of this browser at a logout", async () => {
    const { state, subscribe } = stubPushBrowser("granted");
    subscribe();
    localStorage.setItem(pushPersonKey, owner.id);
    stubRest(as(owner));
    await renderApp("/");
    await screen.findByRole("heading", { level: 1, name: "Dashboard" });
    fireEvent.click(screen.getByRole("button", { name: "Logout" }));
    await waitFor(() => expect(state.subscription).toBeNull());
    expect(localStorage.getItem(pushPersonKey)).toBeNull();
  });

  it("an operator's logout without signal shows the operator login", async () => {
    let online = true;
    stubRest(as(operator));
    const answer = globalThis.fetch;
    vi.stubGlobal("fetch", (path: string, init?: RequestInit) =>
      online ? answer(path, init) : Promise.reject(new TypeError("no signal")),
    );
    vi.spyOn(console, "warn").mockImplementation(() => undefined);
    const { router } = await renderApp("/");
    await screen.findByRole("heading", { level: 1, name: "Equipment Updates" });
    online = false;
    fireEvent.click(screen.getAllByRole("button", { name: "Logout" })[0] ?? document.body);
    expect(await screen.findByRole("heading", { name: "Operator Login" })).toBeTruthy();
    expect(router.state.location.pathname).toBe("/employee-login");
  });

  it("a signed-out phone without signal opens at the operator login", async () => {
    vi.spyOn(navigator, "onLine", "get").mockReturnValue(false);
    vi.stubGlobal("fetch", () => Promise.reject(new TypeError("no signal")));
    const { router } = await renderApp("/");
    expect(await screen.findByRole("heading", { name: "Operator Login" })).toBeTruthy();
    expect(router.state.location.pathname).toBe("/employee-login");
  });

  it("a visitor without signal sees the operator login first, and the landing page from a link", async () => {
    vi.spyOn(navigator, "onLine", "get").mockReturnValue(false);
    vi.stubGlobal("fetch", () => Promise.reject(new TypeError("no signal")));
    const { router } = await renderApp("/");
    expect(await screen.findByRole("heading", { name: "Operator Login" })).toBeTruthy();
    await router.navigate({ to: "/" });
    expect(await screen.findByRole("heading", landing)).toBeTruthy();
  });

  it("the slide-in menu names the person's role and closes by Escape", async () => {
    stubRest(as(operator));
    await renderApp("/");
    fireEvent.click(await screen.findByRole("button", { name: "Open menu" }));
    const menu = await screen.findByRole("dialog", { name: "Menu" });
    expect(within(menu).getByText("Operator")).toBeTruthy();
    expect(within(menu).queryByRole("link", { name: "Dashboard" })).toBeNull();
    fireEvent.keyDown(menu, { key: "Escape" });
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  });

  it("changes language without reload", async () => {
    const calls = stubRest(as(owner));
    await renderApp("/no-such-page");
    await screen.findByRole("heading", { name: "Page not found" });
    fireEvent.click(screen.getByRole("button", { name: "ES Español" }));
    expect(await screen.findByRole("heading", { name: "Página no encontrada" })).toBeTruthy();
    expect(localStorage.getItem("language")).toBe("es");
    expect(document.documentElement.lang).toBe("es");
    const stored = () => calls.find(({ path }) => path === "/api/user/profile");
    await waitFor(() =>
      expect(stored()).toMatchObject({ method: "PATCH", body: { language: "es" } }),
    );
  });
});
