import { fireEvent, screen, waitFor } from "@testing-library/react";
import * as v from "valibot";
import { describe, expect, it, vi } from "vitest";
import { currentToast } from "#/shared/toast/store";
import { formAlert } from "#/test/form-error";
import { operator, owner, renderApp, stubRest, visitor, type Call } from "#/test/render-app";

const type = (field: HTMLElement, value: string) => fireEvent.change(field, { target: { value } });
const press = (name: string) => fireEvent.click(screen.getByRole("button", { name }));

const asks = (...kinds: string[]) => ({
  status: 401,
  body: {
    message: "Code needed",
    code: "TOTP_REQUIRED",
    fields: Object.fromEntries(kinds.map((kind) => [kind, "Needed"])),
  },
});
const wrong = { status: 401, body: { message: "Not valid", code: "TOTP_WRONG" } };

const bodySchema = v.looseObject({
  totp: v.optional(v.string()),
  recoveryCode: v.optional(v.string()),
  passkey: v.optional(v.looseObject({})),
});

/** Responds like the server to a user with these factors. */
function server(user: object, kinds: string[], right: (sent: object) => boolean) {
  return ({ body }: Call) => {
    const sent = v.parse(bodySchema, body);
    const given = sent.totp ?? sent.recoveryCode ?? sent.passkey;
    if (given === undefined) return asks(...kinds);
    return right(sent) ? { status: 200, body: user } : wrong;
  };
}

async function untilAsked(login: (call: Call) => { status: number; body?: unknown }, more = {}) {
  const calls = stubRest({
    "GET /api/auth/user": visitor,
    "POST /api/auth/login": login,
    ...more,
  });
  const app = await renderApp("/login");
  type(await screen.findByLabelText("Email or business name"), "ana@acme.test");
  type(screen.getByLabelText("Password"), "secret1");
  press("Sign In");
  const sent = () => calls.filter((call) => call.path === "/api/auth/login").map((c) => c.body);
  return { ...app, calls, sent };
}

describe("the second factor of an owner", () => {
  it("is the code first, with a link to a recovery code", async () => {
    const right = (sent: object) => "recoveryCode" in sent && sent.recoveryCode === "abcde-fghjk";
    const { sent, router } = await untilAsked(server(owner, ["totp", "recoveryCode"], right));
    await screen.findByLabelText("Authenticator code");
    expect(screen.queryByRole("button", { name: "Use a passkey" })).toBeNull();
    press("Use a recovery code");
    const field = await screen.findByLabelText<HTMLInputElement>("Recovery code");
    await waitFor(() => expect(document.activeElement).toBe(field));
    press("Sign In");
    expect(await screen.findByText("Please enter a recovery code.")).toBeTruthy();
    type(field, "zzzzz-zzzzz");
    press("Sign In");
    const text = /The recovery code or the password is not correct/;
    expect((await screen.findAllByText(text)).length).toBeGreaterThan(0);
    expect(field.value).toBe("");
    type(field, " abcde-fghjk ");
    press("Sign In");
    await waitFor(() => expect(router.state.location.pathname).toBe("/"));
    expect(sent().at(-1)).toMatchObject({ recoveryCode: "abcde-fghjk", password: "secret1" });
    expect(sent().at(-1)).not.toHaveProperty("totp");
  });

  it("goes back from a recovery code to the app", async () => {
    const right = (sent: object) => "totp" in sent && sent.totp === "123456";
    const { sent } = await untilAsked(server(owner, ["totp", "recoveryCode"], right));
    await screen.findByLabelText("Authenticator code");
    press("Use a recovery code");
    press("Use the authenticator app");
    type(await screen.findByLabelText("Authenticator code"), "123456");
    press("Sign In");
    await waitFor(() => expect(sent()).toHaveLength(2));
    expect(sent().at(-1)).not.toHaveProperty("recoveryCode");
  });

  it("is also required at the operator login for an owner's own password", async () => {
    const user = { redirect: "/", user: owner };
    const right = (sent: object) => "totp" in sent && sent.totp === "123456";
    const calls = stubRest({
      "GET /api/auth/user": visitor,
      "POST /api/employee/login": server(user, ["totp", "recoveryCode"], right),
    });
    await renderApp("/employee-login");
    type(await screen.findByLabelText("Operator name"), "Acme");
    type(screen.getByLabelText("Password"), "secret1");
    press("Sign In");
    type(await screen.findByLabelText("Authenticator code"), "123456");
    expect(currentToast()).toBeNull();
    press("Sign In");
    const logins = () => calls.filter((call) => call.path === "/api/employee/login");
    await waitFor(() => expect(logins()).toHaveLength(2));
    expect(logins().at(-1)?.body).toMatchObject({ totp: "123456", operatorName: "Acme" });
  });
});

describe("a passkey at sign-in", () => {
  class Answered {
    clientDataJSON = new Uint8Array([123]).buffer;
    authenticatorData = new Uint8Array([1, 2]).buffer;
    signature = new Uint8Array([255, 254]).buffer;
  }
  class Credential {
    rawId = new Uint8Array([9]).buffer;
    response = new Answered();
  }
  const options = { challenge: "AQID", rpId: "acme.test", credentialIds: ["CQ"] };

  function browser(get: () => Promise<unknown>) {
    vi.stubGlobal("PublicKeyCredential", Credential);
    vi.stubGlobal("AuthenticatorAssertionResponse", Answered);
    const asked = vi.fn<(options: CredentialRequestOptions) => Promise<unknown>>(get);
    vi.stubGlobal("navigator", Object.assign(navigator, { credentials: { get: asked } }));
    return asked;
  }

  it("is requested from the browser with the server's options", async () => {
    const asked = browser(() => Promise.resolve(new Credential()));
    const right = (sent: object) => "passkey" in sent;
    const { sent, calls, router } = await untilAsked(
      server(owner, ["passkey", "recoveryCode"], right),
      { "POST /api/auth/passkey-options": { status: 200, body: options } },
    );
    await screen.findByText(/also needs one of your passkeys/);
    press("Use a passkey");
    await waitFor(() => expect(router.state.location.pathname).toBe("/"));
    expect(asked.mock.calls[0]?.[0].publicKey).toMatchObject({
      rpId: "acme.test",
      userVerification: "required",
      challenge: new Uint8Array([1, 2, 3]),
    });
    expect(sent().at(-1)).toMatchObject({
      passkey: {
        credentialId: "CQ",
        clientDataJson: "ew",
        authenticatorData: "AQI",
        signature: "__4",
      },
    });
    const challenge = calls.find((call) => call.path === "/api/auth/passkey-options");
    expect(challenge?.body).toEqual({ emailOrBusinessName: "ana@acme.test", password: "secret1" });
  });

  it("that was canceled shows an error, and another factor can be used", async () => {
    browser(() => Promise.reject(new DOMException("No", "NotAllowedError")));
    await untilAsked(
      server(owner, ["passkey", "recoveryCode"], () => true),
      { "POST /api/auth/passkey-options": { status: 200, body: options } },
    );
    await screen.findByText(/also needs one of your passkeys/);
    press("Use a passkey");
    expect(await formAlert()).toEqual([
      "Login failed",
      "The passkey didn't work. Try again, or choose another way.",
    ]);
    press("Use a recovery code");
    expect(screen.queryByRole("alert")).toBeNull();
    expect(await screen.findByLabelText("Recovery code")).toBeTruthy();
  });
});

describe("a company that requires a second factor", () => {
  it("redirects users without one to the setup from every page", async () => {
    stubRest({
      "GET /api/auth/user": { status: 200, body: { ...owner, secondFactorMissing: true } },
    });
    const { router } = await renderApp("/equipment-list");
    await screen.findByRole("heading", { level: 1, name: "Set up two-step sign-in" });
    expect(router.state.location.pathname).toBe("/second-factor");
    expect(screen.getByRole("button", { name: "Logout" })).toBeTruthy();
    expect(screen.queryByRole("navigation")).toBeNull();
  });

  it("does not affect operators", async () => {
    stubRest({ "GET /api/auth/user": { status: 200, body: operator } });
    const { router } = await renderApp("/second-factor");
    await screen.findByRole("heading", { level: 1 });
    expect(router.state.location.pathname).toBe("/second-factor");
    expect(screen.queryByText("Set up two-step sign-in")).toBeNull();
  });
});
