import { fireEvent, screen, waitFor } from "@testing-library/react";
import * as v from "valibot";
import { describe, expect, it } from "vitest";
import { currentToast } from "#/shared/toast/store";
import { owner, renderApp, stubRest, visitor, type Call } from "#/test/render-app";

const type = (field: HTMLElement, value: string) => fireEvent.change(field, { target: { value } });
const press = (name: string) => fireEvent.click(screen.getByRole("button", { name }));

const staff = { ...owner, role: "support", companyId: null, businessName: null };
const wanted = { status: 401, body: { message: "Code needed", code: "TOTP_REQUIRED" } };
const wrong = { status: 401, body: { message: "Invalid email, business name or password" } };

async function untilAsked(login: (call: Call) => { status: number; body: unknown }) {
  const calls = stubRest({
    "GET /api/auth/user": visitor,
    "POST /api/auth/login": login,
  });
  const app = await renderApp("/login");
  type(await screen.findByLabelText("Email or business name"), "staff@hourmeter.test");
  type(screen.getByLabelText("Password"), "secret1");
  expect(screen.queryByLabelText("Authenticator code")).toBeNull();
  press("Sign In");
  const code = await screen.findByLabelText<HTMLInputElement>("Authenticator code");
  const sent = () => calls.filter((call) => call.path === "/api/auth/login").map((c) => c.body);
  return { ...app, code, sent };
}

const bodySchema = v.object({ totp: v.optional(v.string()) });

const byCode = ({ body }: Call) => {
  const { totp } = v.parse(bodySchema, body);
  if (totp === undefined) return wanted;
  return totp === "123456" ? { status: 200, body: staff } : wrong;
};

describe("staff one-time code", () => {
  it("is requested when the server requires it, with number keys, and keeps name and password", async () => {
    const { code } = await untilAsked(byCode);
    expect(code.inputMode).toBe("numeric");
    expect(code.autocomplete).toBe("one-time-code");
    await waitFor(() => expect(document.activeElement).toBe(code));
    expect(screen.getByLabelText<HTMLInputElement>("Password").value).toBe("secret1");
    // The request for a code is not shown as an error; staff sessions are never kept.
    expect(currentToast()).toBeNull();
    expect(screen.queryByRole("alert")).toBeNull();
    expect(screen.queryByLabelText("Keep me signed in for 30 days")).toBeNull();
  });

  it.each(["", "12345", "1234567", "12a456"])("must be six digits, not %j", async (typed) => {
    const { code, sent } = await untilAsked(byCode);
    type(code, typed);
    press("Sign In");
    expect(
      await screen.findByText("Please enter the six digits from your authenticator app."),
    ).toBeTruthy();
    expect(sent()).toHaveLength(1);
  });

  it("is cleared with an error if wrong, since a code works once", async () => {
    const { code } = await untilAsked(byCode);
    type(code, "000000");
    press("Sign In");
    const text =
      "The code or the password is not correct. Use the newest code in your authenticator app.";
    await screen.findByText(text);
    expect(currentToast()).toBeNull();
    expect(code.value).toBe("");
    expect(code.getAttribute("aria-invalid")).toBe("true");
  });

  it("signs in, also typed in two groups", async () => {
    const { code, sent, router } = await untilAsked(byCode);
    type(code, "123 456");
    press("Sign In");
    await waitFor(() => expect(router.state.location.pathname).toBe("/admin-accounts"));
    expect(sent().at(-1)).toMatchObject({ password: "secret1", totp: "123456" });
  });

  it("is not sent with another name", async () => {
    const { code, sent } = await untilAsked(byCode);
    type(code, "123456");
    type(screen.getByLabelText("Email or business name"), "Acme");
    await waitFor(() => expect(screen.queryByLabelText("Authenticator code")).toBeNull());
    press("Sign In");
    await waitFor(() => expect(sent()).toHaveLength(2));
    expect(sent().at(-1)).not.toHaveProperty("totp");
  });
});
