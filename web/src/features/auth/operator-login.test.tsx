import { fireEvent, screen, waitFor } from "@testing-library/react";
import { describe, expect, it, vi } from "vitest";
import * as v from "valibot";
import { changeLanguage } from "#/i18n";
import { currentToast } from "#/shared/toast/store";
import { formAlert } from "#/test/form-error";
import { operator, renderApp, stubRest, visitor } from "#/test/render-app";
import { operatorLoginSearch } from "./card-search";
import { loadRememberedOperator } from "./remembered-operator";
import { safeRedirect } from "./sign-in-calls";

const type = (field: HTMLElement, value: string) => fireEvent.change(field, { target: { value } });

const signedIn = {
  "GET /api/auth/user": visitor,
  "POST /api/employee/login": {
    status: 200,
    body: { redirect: "/simple-operator", user: operator },
  },
};

async function submit(name = "maria4821", password = "shared-1") {
  type(await screen.findByLabelText("Operator name"), name);
  type(screen.getByLabelText("Password"), password);
  fireEvent.click(screen.getByRole("button", { name: "Sign In" }));
}

describe("operator login", () => {
  it("has all texts and links", async () => {
    stubRest(signedIn);
    await renderApp("/employee-login");
    expect(
      await screen.findByText(
        "The username on your access card. Owners and managers may use their business name.",
      ),
    ).toBeTruthy();
    expect(screen.getByText("Names and passwords are case sensitive.")).toBeTruthy();
    expect(
      screen.getByText("No password? Contact your manager for the shared operator password."),
    ).toBeTruthy();
    expect(screen.getByRole("group", { name: "Language" })).toBeTruthy();
    expect(screen.getAllByRole("link", { name: "Back to Home" }).length).toBeGreaterThan(0);
  });

  it("can't be submitted until both fields are filled", async () => {
    const calls = stubRest(signedIn);
    await renderApp("/employee-login");
    const submitButton = () => screen.getByRole("button", { name: "Sign In" });
    const blocked = () => submitButton().getAttribute("aria-disabled") === "true";
    type(await screen.findByLabelText("Operator name"), "  ");
    type(screen.getByLabelText("Password"), "shared-1");
    expect(blocked()).toBe(true);
    fireEvent.click(submitButton());
    type(screen.getByLabelText("Operator name"), "maria4821");
    await waitFor(() => expect(blocked()).toBe(false));
    type(screen.getByLabelText("Password"), "");
    await waitFor(() => expect(blocked()).toBe(true));
    expect(calls.some((call) => call.path === "/api/employee/login")).toBe(false);
  });

  it("reads 'Signing In...' while pending, and can't be submitted twice", async () => {
    const calls = stubRest(signedIn);
    const answer = globalThis.fetch;
    let open = () => undefined as void;
    vi.stubGlobal("fetch", async (path: string, init?: RequestInit) => {
      const response = await answer(path, init);
      if (path === "/api/employee/login") await new Promise<void>((done) => (open = done));
      return response;
    });
    await renderApp("/employee-login");
    await submit();
    const button = await screen.findByRole("button", { name: "Signing In..." });
    fireEvent.click(button);
    open();
    await screen.findByRole("heading", { level: 1, name: "Equipment Updates" });
    expect(calls.filter((call) => call.path === "/api/employee/login")).toHaveLength(1);
  });

  it("shows the server's refusal, and keeps typed values", async () => {
    const body = { message: "Invalid operator name or password" };
    stubRest({ ...signedIn, "POST /api/employee/login": { status: 401, body } });
    await renderApp("/employee-login");
    await submit();
    expect(await formAlert()).toEqual(["Login Failed", body.message]);
    expect(currentToast()).toBeNull();
    expect(screen.getByLabelText<HTMLInputElement>("Operator name").value).toBe("maria4821");
  });

  it("distinguishes an unreachable server from a refusal", async () => {
    stubRest(signedIn);
    await renderApp("/employee-login");
    await screen.findByLabelText("Operator name");
    vi.stubGlobal("fetch", () => Promise.reject(new TypeError("Failed to fetch")));
    await submit();
    expect(await formAlert()).toEqual([
      "Login Error",
      "Unable to connect to server. Please try again.",
    ]);
    fireEvent(window, new Event("online"));
    expect(screen.queryByRole("alert")).toBeNull();
  });

  it.each([
    [429, "45", "Too many attempts. Please wait 45 seconds and try again."],
    [429, "119", "Too many attempts. Please wait 119 seconds and try again."],
    [429, "121", "Too many attempts. Please wait 3 minutes and try again."],
    [429, "900", "Too many attempts. Please wait 15 minutes and try again."],
    [429, "8000", "Too many attempts. Please wait 3 hours and try again."],
    [429, null, "Too many attempts. Please wait a moment and try again."],
    [503, "30", "The service is busy at the moment. Please try again in 30 seconds."],
    [503, "1", "The service is busy at the moment. Please try again shortly."],
  ])("shows how long to wait after %i with Retry-After %s", async (status, wait, text) => {
    stubRest(signedIn);
    const answer = globalThis.fetch;
    const headers = wait === null ? {} : { "Retry-After": wait };
    vi.stubGlobal("fetch", (path: string, init?: RequestInit) =>
      path === "/api/employee/login"
        ? Promise.resolve(new Response('{"message":"Too busy right now."}', { status, headers }))
        : answer(path, init),
    );
    await renderApp("/employee-login");
    await submit();
    expect(await formAlert()).toEqual(["Login Failed", text]);
  });

  it("shows it in Spanish too", async () => {
    stubRest(signedIn);
    const answer = globalThis.fetch;
    const refused = { status: 429, headers: { "Retry-After": "60" } };
    vi.stubGlobal("fetch", (path: string, init?: RequestInit) =>
      path === "/api/employee/login"
        ? Promise.resolve(new Response("{}", refused))
        : answer(path, init),
    );
    await renderApp("/employee-login");
    await submit();
    await screen.findByText(/^Too many attempts/);
    await changeLanguage("es");
    const text = "Demasiados intentos. Espera 60 segundos e inténtalo de nuevo.";
    expect(await formAlert()).toEqual(["No se pudo iniciar sesión", text]);
  });
});

describe("the printed card", () => {
  it("fills in the username and focuses the password", async () => {
    localStorage.setItem("operatorCredentials", '{"operatorName":"luis5842"}');
    stubRest(signedIn);
    await renderApp("/employee-login?operator=maria4821");
    const name = await screen.findByLabelText<HTMLInputElement>("Operator name");
    expect(name.value).toBe("maria4821");
    await waitFor(() => expect(document.activeElement).toBe(screen.getByLabelText("Password")));
  });

  it("offers a PIN after the sign-in", async () => {
    stubRest(signedIn);
    await renderApp("/employee-login?operator=maria4821");
    await submit();
    await screen.findByRole("heading", { level: 1, name: "Equipment Updates" });
    expect(sessionStorage.getItem("offer-pin")).toBe("1");
  });

  it.each([
    ["maria4821", "maria4821"],
    [4821, "4821"],
    ["0074821", "0074821"],
    ["Maria4821", undefined],
    ["maria 4821", undefined],
    ["<img src=x>", undefined],
    ["ma\u202eria1234", undefined],
    ["a".repeat(129), undefined],
    ["", undefined],
    [["maria4821"], undefined],
    [1.5, undefined],
    [null, undefined],
  ])("reads %j as %j", (operator, taken) => {
    expect(v.parse(operatorLoginSearch, { operator })).toEqual({ operator: taken });
  });
});

describe("remember me", () => {
  it("stores the name, never the password", async () => {
    stubRest(signedIn);
    const { router } = await renderApp("/employee-login");
    fireEvent.click(await screen.findByLabelText("Remember me"));
    await submit("maria4821 ");
    await screen.findByRole("heading", { level: 1, name: "Equipment Updates" });
    expect(router.state.location.pathname).toBe("/simple-operator");
    expect(localStorage.getItem("operatorCredentials")).toBe('{"operatorName":"maria4821"}');
    expect(localStorage.getItem("operatorUsername")).toBe("maria4821");
    const stored = [...Object.values(localStorage), ...Object.values(sessionStorage)].join();
    expect(stored).not.toContain("shared-1");
  });

  it("removes the stored name when it is off", async () => {
    localStorage.setItem("operatorCredentials", '{"operatorName":"maria4821"}');
    localStorage.setItem("operatorUsername", "maria4821");
    stubRest(signedIn);
    await renderApp("/employee-login");
    const box = await screen.findByLabelText<HTMLInputElement>("Remember me");
    expect(box.checked).toBe(true);
    fireEvent.click(box);
    await submit();
    await screen.findByRole("heading", { level: 1, name: "Equipment Updates" });
    expect(localStorage.getItem("operatorCredentials")).toBeNull();
    expect(localStorage.getItem("operatorUsername")).toBeNull();
  });

  it("removes a password stored by an older version when any page opens", async () => {
    localStorage.setItem(
      "operatorCredentials",
      '{"operatorName":"maria4821","password":"shared-1"}',
    );
    stubRest({ "GET /api/auth/user": { status: 200, body: operator } });
    await renderApp("/");
    await screen.findByRole("heading", { level: 1, name: "Equipment Updates" });
    expect(localStorage.getItem("operatorCredentials")).toBe('{"operatorName":"maria4821"}');
  });

  it.each(["{broken", "null", "7", '{"password":"shared-1"}', '{"operatorName":7}'])(
    "stored data that can't be read are removed: %s",
    (stored) => {
      localStorage.setItem("operatorCredentials", stored);
      localStorage.setItem("operatorUsername", "maria4821");
      expect(loadRememberedOperator()).toBeNull();
      expect(localStorage.getItem("operatorCredentials")).toBeNull();
      expect(localStorage.getItem("operatorUsername")).toBeNull();
    },
  );

  it("works without storage", () => {
    vi.spyOn(Storage.prototype, "getItem").mockImplementation(() => {
      throw new DOMException("denied", "SecurityError");
    });
    expect(loadRememberedOperator()).toBeNull();
  });
});

describe("the one-time code of a card", () => {
  const code = "abcde-fghjk-mnpqr-stuvw";
  const scan = async () => {
    window.history.replaceState(null, "", `/employee-login?operator=maria4821#${code}`);
    await renderApp("/employee-login?operator=maria4821");
    await screen.findByText("Your card was read. Press Sign In.");
  };
  const press = (name: string) => fireEvent.click(screen.getByRole("button", { name }));
  const sent = (calls: ReturnType<typeof stubRest>) =>
    calls.filter(({ path }) => path === "/api/employee/login").map(({ body }) => body);

  it("signs in without a password, and leaves the address", async () => {
    const calls = stubRest(signedIn);
    await scan();
    expect(window.location.hash).toBe("");
    expect(screen.queryByLabelText("Password")).toBeNull();
    press("Sign In");
    await screen.findByRole("heading", { level: 1, name: "Equipment Updates" });
    expect(sent(calls)).toMatchObject([{ operatorName: "maria4821", password: code }]);
  });

  it("gives way to the password when it was used", async () => {
    const body = { message: "Invalid operator name or password" };
    const calls = stubRest({ ...signedIn, "POST /api/employee/login": { status: 401, body } });
    await scan();
    press("Sign In");
    expect(await formAlert()).toEqual([
      "Login Failed",
      "The code of this card was already used or has expired. Enter the password that is printed on it.",
    ]);
    await submit("maria4821", "shared-1");
    await screen.findByText(body.message);
    expect(sent(calls)).toMatchObject([{ password: code }, { password: "shared-1" }]);
  });

  it("is kept for another try when the server does not answer", async () => {
    const calls = stubRest({ ...signedIn, "POST /api/employee/login": { status: 503, body: {} } });
    await scan();
    press("Sign In");
    await waitFor(() => expect(sent(calls)).toHaveLength(1));
    await waitFor(() => press("Sign In"));
    await waitFor(() => expect(sent(calls)).toHaveLength(2));
    expect(sent(calls)[1]).toMatchObject({ password: code });
  });

  it("is dropped when the password is preferred", async () => {
    const calls = stubRest(signedIn);
    await scan();
    press("Use the password instead");
    await submit();
    await waitFor(() => expect(sent(calls)).toMatchObject([{ password: "shared-1" }]));
  });

  it.each(["", "#", "#abcde", `#${code}-x`, "#ABCDE-FGHJK-MNPQR-STUVW", "#top"])(
    "is not %j",
    async (hash) => {
      window.history.replaceState(null, "", `/employee-login${hash}`);
      stubRest(signedIn);
      await renderApp("/employee-login");
      expect(await screen.findByLabelText("Password")).toHaveProperty("value", "");
    },
  );
});

describe("the redirect of the response", () => {
  it.each(["/", "/simple-operator", "/equipment/due?x=1"])("%s is followed", (path) =>
    expect(safeRedirect(path)).toBe(path),
  );

  it.each([
    "//evil.test",
    "/\\evil.test",
    "/\t/evil.test",
    "/\n\\evil.test",
    "\\/evil.test",
    "https://evil.test",
    "javascript:alert(1)",
    " /x",
    "",
    "x",
  ])("%j is not", (path) => expect(safeRedirect(path)).toBe("/simple-operator"));
});
