import { act, fireEvent, screen, waitFor, within } from "@testing-library/react";
import type { Root } from "react-dom/client";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { changeLanguage } from "#/i18n";
import { currentToast, toast } from "#/shared/toast/store";
import { formAlert } from "#/test/form-error";
import { operator, owner, stubRest, visitor, type Answer, type Routes } from "#/test/render-app";
import { lastAudience } from "./known-device";
import { loadPages } from "./load-home";
import { start } from "./start";

vi.mock(import("./load-home"), async (original) => {
  const code = await original();
  return { ...code, loadPages: vi.fn<typeof loadPages>(code.loadPages) };
});

let element: HTMLElement;
let root: Root;

/** Opens the page at `path` like a browser. */
async function open(path: string, user: Routes[string], more: Routes = {}) {
  const calls = stubRest({ "GET /api/auth/user": user, ...more });
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
  it("opens for an owner, requests the session once and remembers the device", async () => {
    const calls = await open("/", { status: 200, body: owner });
    expect(await screen.findByRole("heading", { level: 1, name: "Dashboard" })).toBeTruthy();
    expect(calls.filter(({ path }) => path === "/api/auth/user")).toHaveLength(1);
    await waitFor(() => expect(lastAudience()).toBe("manager"));
  });

  it("opens for an operator and remembers the device", async () => {
    await open("/", { status: 200, body: operator });
    expect(await screen.findByRole("heading", { name: "Equipment Updates" })).toBeTruthy();
    await waitFor(() => expect(lastAudience()).toBe("operator"));
  });

  it("opens for a visitor and does not remember the device", async () => {
    await open("/employee-login", visitor);
    expect(await screen.findByRole("heading", { level: 1, name: "Operator Login" })).toBeTruthy();
    expect(lastAudience()).toBeUndefined();
  });
});

it("shows a skeleton while the session is requested", async () => {
  const session = Promise.withResolvers<Answer>();
  await open("/", () => session.promise);
  expect(await screen.findByText("Loading")).toBeTruthy();
  session.resolve({ status: 200, body: owner });
  expect(await screen.findByRole("heading", { level: 1, name: "Dashboard" })).toBeTruthy();
});

describe("the operator page", () => {
  const page = { level: 1, name: "Equipment Updates" };

  beforeEach(() => {
    document.cookie = "known=operator; Path=/";
  });

  async function openPage(path = "/") {
    await open(path, { status: 200, body: operator });
    await screen.findByRole("heading", page);
    expect(document.title).toBe("Equipment Updates - Equipment Management");
  }

  it("opens another page and returns", async () => {
    await openPage();
    fireEvent.click(screen.getByRole("button", { name: "Open menu" }));
    fireEvent.click(await screen.findByRole("link", { name: "Profile" }));
    const heading = await screen.findByRole("heading", { level: 1, name: "Profile" });
    await waitFor(() => expect(document.activeElement).toBe(heading));
    expect(window.location.pathname).toBe("/profile");
    act(() => window.history.back());
    await screen.findByRole("heading", page);
    expect(window.location.pathname).toBe("/");
  });

  it("stays and says so if another page can't be loaded, and opens it on the next try", async () => {
    await openPage();
    const load = vi.mocked(loadPages).mockRejectedValue(new TypeError("no signal"));
    const openProfile = async () => {
      fireEvent.click(screen.getByRole("button", { name: "Open menu" }));
      fireEvent.click(await screen.findByRole("link", { name: "Profile" }));
    };
    await openProfile();
    await waitFor(() => expect(currentToast()?.tone).toBe("failure"));
    expect(window.location.pathname).toBe("/");
    expect(screen.getByRole("heading", { ...page, hidden: true })).toBeTruthy();
    load.mockRestore();
    await openProfile();
    expect(await screen.findByRole("heading", { level: 1, name: "Profile" })).toBeTruthy();
  });

  it("is marked in the menu at all its addresses, and stays when its link is pressed", async () => {
    await openPage("/simple-operator");
    const link = screen.getByRole("link", { name: "Equipment Updates" });
    expect(link.getAttribute("aria-current")).toBe("page");
    const heading = screen.getByRole("heading", page);
    fireEvent.click(link);
    expect(screen.getByRole("heading", page)).toBe(heading);
  });

  it.each(["/", "/simple-operator"])("at %s is replaced by the landing page", async (path) => {
    await openPage(path);
    stubRest({
      "GET /api/auth/user": visitor,
      "POST /api/auth/logout": { status: 204 },
      "GET /api/logout": { status: 204 },
    });
    const bar = within(screen.getByRole("banner"));
    fireEvent.click(bar.getByRole("button", { name: "Logout" }));
    await screen.findByRole("heading", {
      name: "Know which machine needs service before it stops.",
    });
    expect(window.location.pathname).toBe("/");
    expect(lastAudience()).toBeUndefined();
  });

  it("is replaced by the landing page if the logout follows another link at once", async () => {
    await openPage("/operator");
    stubRest({
      "GET /api/auth/user": visitor,
      "POST /api/auth/logout": { status: 204 },
      "GET /api/logout": { status: 204 },
    });
    const header = within(screen.getByRole("banner"));
    fireEvent.click(header.getByRole("button", { name: "Open menu" }));
    const profile = await screen.findByRole("link", { name: "Profile" });
    fireEvent.click(profile);
    fireEvent.click(header.getByRole("button", { name: "Logout", hidden: true }));
    await screen.findByRole("heading", {
      name: "Know which machine needs service before it stops.",
    });
    expect(window.location.pathname).toBe("/");
  });

  it("is replaced when the history returns to another page", async () => {
    await openPage();
    window.history.replaceState(null, "", "/profile");
    fireEvent.popState(window);
    expect(await screen.findByRole("heading", { level: 1, name: "Profile" })).toBeTruthy();
  });

  it("is replaced when another user has signed in", async () => {
    const users = [operator, owner];
    await open("/", () => ({ status: 200, body: users.shift() ?? owner }), {
      "GET /api/meters": { status: 409, body: { message: "Not you", code: "OTHER_PERSON" } },
    });
    await screen.findByRole("heading", { level: 1, name: "Dashboard" });
    expect(users).toEqual([]);
    expect(lastAudience()).toBe("manager");
  });

  it("is not shown to a manager on an operator's device", async () => {
    await open("/", { status: 200, body: owner });
    expect(await screen.findByRole("heading", { level: 1, name: "Dashboard" })).toBeTruthy();
  });
});

it("offers a retry after an error that no page handles", async () => {
  vi.spyOn(console, "error").mockImplementation(() => undefined);
  await open("/employee-login", visitor);
  function Failing(): never {
    throw new Error("a defect");
  }
  // Outside of act, which throws the error instead of handling it.
  root.render(<Failing />);
  expect(await screen.findByText("The page could not be loaded.")).toBeTruthy();
  expect(screen.getByRole("button", { name: "Try again" })).toBeTruthy();
});

describe("the sign-in page", () => {
  const type = (field: HTMLElement, value: string) =>
    fireEvent.change(field, { target: { value } });

  async function signIn(name: string, password = "secret1") {
    type(await screen.findByLabelText(name), "maria4821");
    type(screen.getByLabelText("Password"), password);
    fireEvent.click(screen.getByRole("button", { name: "Sign In" }));
  }

  beforeEach(() => {
    document.documentElement.dataset.page = "sign-in";
    toast.dismiss();
  });
  afterEach(() => delete document.documentElement.dataset.page);

  it("has its title, and links that load a page", async () => {
    await open("/login", visitor);
    await screen.findByRole("heading", { level: 1, name: "Owner Login" });
    expect(document.title).toBe("Owner Login - Equipment Management");
    const link = screen.getByRole("link", { name: "Forgot password?" });
    expect(link.getAttribute("href")).toBe("/forgot-password");
    expect(fireEvent.click(link)).toBe(true);
  });

  it("is replaced by the dashboard, whose heading has focus", async () => {
    await open("/login", visitor, { "POST /api/auth/login": { status: 200, body: owner } });
    await signIn("Email or business name");
    const heading = await screen.findByRole("heading", { level: 1, name: "Dashboard" });
    await waitFor(() => expect(document.activeElement).toBe(heading));
    expect(window.location.pathname).toBe("/");
    expect(document.title).toMatch(/^Dashboard - /);
    expect(currentToast()?.title).toBe("Welcome back!");
    expect(lastAudience()).toBe("manager");
  });

  it("reads the username of a card, and is replaced by the page that the server names", async () => {
    const body = { redirect: "/simple-operator", user: operator };
    await open("/employee-login?operator=0074821", visitor, {
      "POST /api/employee/login": { status: 200, body },
    });
    const name = await screen.findByLabelText<HTMLInputElement>("Operator name");
    expect(name.value).toBe("0074821");
    expect(document.activeElement).toBe(screen.getByLabelText("Password"));
    await signIn("Operator name");
    const heading = await screen.findByRole("heading", { name: "Equipment Updates" });
    await waitFor(() => expect(document.activeElement).toBe(heading));
    expect(window.location.pathname).toBe("/simple-operator");
    expect(lastAudience()).toBe("operator");
  });

  it("keeps typed values when the server refuses", async () => {
    await open("/login", visitor, {
      "POST /api/auth/login": { status: 401, body: { message: "Not these" } },
    });
    await signIn("Email or business name");
    expect(await formAlert()).toEqual(["Login failed", "Not these"]);
    expect(screen.getByLabelText<HTMLInputElement>("Password").value).toBe("secret1");
  });

  it("is not shown to a signed-in user", async () => {
    await open("/login", { status: 200, body: owner });
    expect(await screen.findByRole("heading", { level: 1, name: "Dashboard" })).toBeTruthy();
    expect(window.location.pathname).toBe("/");
  });

  it("offers a retry when the session can't be requested", async () => {
    vi.spyOn(console, "error").mockImplementation(() => undefined);
    vi.spyOn(console, "warn").mockImplementation(() => undefined);
    await open("/login", { status: 503, body: {} });
    expect(await screen.findByRole("button", { name: "Try again" })).toBeTruthy();
  });
});
