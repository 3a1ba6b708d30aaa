import { createRouterTransport } from "@connectrpc/connect";
import { fireEvent, screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it, vi } from "vitest";
import { withReauth } from "#/session/reauth";
import { checkSession } from "#/session/session";
import { currentToast } from "#/shared/toast/store";
import { formAlert } from "#/test/form-error";
import { operator, owner, renderApp, stubRest, visitor } from "#/test/render-app";

const type = (field: HTMLElement, value: string) => fireEvent.change(field, { target: { value } });
const title = { name: "Please sign in again" };

interface Person {
  id: string;
  email: string | null;
}

/** Opens `path` for a user whose session the test can end. */
async function working(user: Person, path: string) {
  let signedIn: Person | null = user;
  let returns: Person = user;
  const login = () => {
    signedIn = returns;
    return { status: 200, body: returns };
  };
  const calls = stubRest({
    "GET /api/auth/user": () => (signedIn ? { status: 200, body: signedIn } : visitor),
    "GET /api/auth/security-questions": { status: 200, body: ["First?", "Second?"] },
    "POST /api/auth/setup-security-questions": () =>
      signedIn ? { status: 200, body: signedIn } : visitor,
    "POST /api/auth/login": login,
    "POST /api/employee/login": () => {
      const { body } = login();
      return { status: 200, body: { redirect: "/simple-operator", user: body } };
    },
  });
  const app = await renderApp(
    path,
    createRouterTransport(() => undefined),
  );
  return {
    ...app,
    calls,
    endSession: () => (signedIn = null),
    signInElsewhere: (person: Person) => (signedIn = person),
    whoReturns: (person: Person) => (returns = person),
  };
}

async function typeSomething() {
  type(await screen.findByLabelText("Security question 1"), "First?");
  type(screen.getByLabelText("Answer 1"), "half typed");
}

/** An operator can keep working; signing in again is optional. */
async function askToSignIn() {
  const panel = within(await screen.findByRole("region", title));
  fireEvent.click(panel.getByRole("button", { name: "Sign in" }));
}

async function signInAgain(password = "secret1") {
  const cover = within(await screen.findByRole("dialog", title));
  type(cover.getByLabelText("Password"), password);
  fireEvent.click(cover.getByRole("button", { name: "Sign In" }));
}

const answer = () => screen.getByLabelText<HTMLInputElement>("Answer 1");

describe("a session that ends during work", () => {
  it("asks to sign in again after a refused write, and keeps typed values", async () => {
    const { endSession, calls, router } = await working(owner, "/security-questions");
    await typeSomething();
    type(screen.getByLabelText("Security question 2"), "Second?");
    type(screen.getByLabelText("Answer 2"), "two");
    endSession();
    fireEvent.click(screen.getByRole("button", { name: "Save" }));
    const cover = within(await screen.findByRole("dialog", title));
    expect(cover.getByText(/What you typed is still here/)).toBeTruthy();
    expect(cover.getByText("ana@acme.test")).toBeTruthy();
    expect(document.activeElement).toBe(cover.getByLabelText("Password"));
    // The page underneath can't be read or reached.
    expect(screen.queryByRole("heading", { name: "Security Questions" })).toBeNull();
    expect(currentToast()).toBeNull();
    await signInAgain();
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
    expect(answer().value).toBe("half typed");
    expect(router.state.location.pathname).toBe("/security-questions");
    expect(calls.find((call) => call.path === "/api/auth/login")?.body).toEqual({
      emailOrBusinessName: "ana@acme.test",
      password: "secret1",
      rememberMe: false,
    });
    fireEvent.click(screen.getByRole("button", { name: "Save" }));
    await waitFor(() => expect(router.state.location.pathname).toBe("/"));
  });

  it("asks to sign in again after a refused read", async () => {
    const { endSession, queryClient } = await working(owner, "/security-questions");
    await typeSomething();
    endSession();
    await queryClient.invalidateQueries({ queryKey: ["security-questions"] });
    checkSession(queryClient);
    await signInAgain();
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
    expect(answer().value).toBe("half typed");
  });

  it("can't be closed with Escape, and shows a wrong password", async () => {
    const { endSession, queryClient } = await working(owner, "/security-questions");
    await typeSomething();
    endSession();
    checkSession(queryClient);
    const cover = await screen.findByRole("dialog", title);
    fireEvent.keyDown(cover, { key: "Escape" });
    const body = { message: "Invalid email, business name or password" };
    stubRest({ "GET /api/auth/user": visitor, "POST /api/auth/login": { status: 401, body } });
    await signInAgain("wrong");
    expect(await formAlert()).toEqual(["Login failed", body.message]);
    expect(within(cover).getByLabelText<HTMLInputElement>("Password").value).toBe("wrong");
  });

  it("discards the page and its data when another user signs in", async () => {
    const { endSession, queryClient, router } = await working(owner, "/security-questions");
    await typeSomething();
    queryClient.setQueryData(["equipment"], ["secret"]);
    endSession();
    checkSession(queryClient);
    const cover = within(await screen.findByRole("dialog", title));
    fireEvent.click(cover.getByRole("button", { name: "Sign in as someone else" }));
    await screen.findByRole("heading", { level: 1, name: "Owner Login" });
    expect(router.state.location.pathname).toBe("/login");
    expect(queryClient.getQueryData(["equipment"])).toBeUndefined();
  });

  it("opens the home page of a user whose rights have changed", async () => {
    const { endSession, queryClient, router, whoReturns } = await working(
      owner,
      "/security-questions",
    );
    await typeSomething();
    endSession();
    whoReturns({ ...owner, id: "u9" });
    checkSession(queryClient);
    await signInAgain();
    await screen.findByRole("heading", { level: 1, name: "Dashboard" });
    expect(router.state.location.pathname).toBe("/");
  });

  it("signs an operator in again with the operator login", async () => {
    const { endSession, queryClient, calls } = await working(operator, "/");
    await screen.findByRole("heading", { level: 1, name: "Equipment Updates" });
    endSession();
    checkSession(queryClient);
    await askToSignIn();
    const cover = within(await screen.findByRole("dialog", title));
    expect(cover.getByText("maria4821")).toBeTruthy();
    await signInAgain("shared-1");
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
    expect(calls.find((call) => call.path === "/api/employee/login")?.body).toEqual({
      operatorName: "maria4821",
      password: "shared-1",
      rememberMe: false,
    });
  });

  it("keeps an operator's page usable, and the sign-in can be postponed", async () => {
    const { endSession, queryClient } = await working(operator, "/");
    await screen.findByRole("heading", { level: 1, name: "Equipment Updates" });
    endSession();
    checkSession(queryClient);
    await screen.findByRole("region", title);
    expect(screen.queryByRole("dialog")).toBeNull();
    expect(screen.getByRole("button", { name: "Submit" })).toBeTruthy();
    await askToSignIn();
    const cover = within(await screen.findByRole("dialog", title));
    fireEvent.click(cover.getByRole("button", { name: "Not now" }));
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
    expect(screen.getByRole("region", title)).toBeTruthy();
  });

  it("uses the company's name in the shared operator session", async () => {
    const shared = { ...operator, operatorUsername: null };
    const { endSession, queryClient, calls } = await working(shared, "/");
    await screen.findByRole("heading", { level: 1, name: "Equipment Updates" });
    endSession();
    checkSession(queryClient);
    await askToSignIn();
    await signInAgain("shared-1");
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
    const sent = calls.find((call) => call.path === "/api/employee/login");
    expect(sent?.body).toMatchObject({ operatorName: "Acme Earthworks" });
  });

  it("asks staff for a code too, and does not offer to keep a staff session", async () => {
    const staff = { ...owner, role: "support", companyId: null, businessName: null };
    const { endSession, queryClient } = await working(staff, "/no-such-page");
    await screen.findByRole("heading", { name: "Page not found" });
    endSession();
    checkSession(queryClient);
    const cover = within(await screen.findByRole("dialog", title));
    expect(cover.queryByRole("checkbox")).toBeNull();
    const wanted = { status: 401, body: { message: "x", code: "TOTP_REQUIRED" } };
    const calls = stubRest({
      "GET /api/auth/user": visitor,
      "POST /api/auth/login": ({ body }) =>
        JSON.stringify(body).includes("123456") ? { status: 200, body: staff } : wanted,
    });
    await signInAgain();
    const code = await cover.findByLabelText("Authenticator code");
    await waitFor(() => expect(document.activeElement).toBe(code));
    expect(cover.queryByRole("alert")).toBeNull();
    type(code, "12345");
    fireEvent.click(cover.getByRole("button", { name: "Sign In" }));
    await cover.findByText("Please enter the six digits from your authenticator app.");
    type(code, "123456");
    fireEvent.click(cover.getByRole("button", { name: "Sign In" }));
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
    expect(calls.at(-1)?.body).toMatchObject({ totp: "123456", rememberMe: false });
  });

  it("closes when the user has signed in again in another tab", async () => {
    const { endSession, signInElsewhere, queryClient, calls } = await working(
      owner,
      "/security-questions",
    );
    await typeSomething();
    endSession();
    checkSession(queryClient);
    await screen.findByRole("dialog", title);
    await waitFor(() => expect(queryClient.isFetching()).toBe(0));
    const before = calls.length;
    document.dispatchEvent(new Event("visibilitychange"));
    // The page requests the session and again gets a 401.
    await waitFor(() => expect(calls.length).toBeGreaterThan(before));
    await waitFor(() => expect(queryClient.isFetching()).toBe(0));
    expect(screen.getByRole("dialog", title)).toBeTruthy();
    signInElsewhere(owner);
    document.dispatchEvent(new Event("visibilitychange"));
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
    expect(answer().value).toBe("half typed");
  });

  it("discards the page when another user signs in in another tab", async () => {
    const { signInElsewhere, queryClient } = await working(owner, "/security-questions");
    await typeSomething();
    queryClient.setQueryData(["equipment"], ["secret"]);
    signInElsewhere({ ...owner, id: "u9", email: "bea@other.test" });
    checkSession(queryClient);
    await waitFor(() => expect(queryClient.getQueryData(["equipment"])).toBeUndefined());
    await waitFor(() => expect(answer().value).toBe(""));
    expect(screen.queryByRole("dialog")).toBeNull();
  });

  it("continues a call that waits for the password after the new sign-in", async () => {
    const { endSession, queryClient } = await working(owner, "/security-questions");
    await typeSomething();
    const refusal = { status: 403, body: '{"message":"x","code":"REAUTH_REQUIRED"}' };
    const { RestError } = await import("#/api/failure");
    const call = vi
      .fn<() => Promise<string>>()
      .mockRejectedValueOnce(new RestError(refusal.status, refusal.body))
      .mockResolvedValueOnce("done");
    const result = withReauth(call);
    await screen.findByRole("dialog", { name: "Confirm your password" });
    endSession();
    checkSession(queryClient);
    await signInAgain();
    await expect(result).resolves.toBe("done");
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  });

  it("does not affect a visitor whose sign-in is refused", async () => {
    const body = { message: "Invalid email, business name or password" };
    stubRest({ "GET /api/auth/user": visitor, "POST /api/auth/login": { status: 401, body } });
    await renderApp("/login");
    type(await screen.findByLabelText("Email or business name"), "Acme");
    type(screen.getByLabelText("Password"), "wrong");
    fireEvent.click(screen.getByRole("button", { name: "Sign In" }));
    await screen.findByText("Login failed");
    expect(screen.queryByRole("dialog")).toBeNull();
  });
});
