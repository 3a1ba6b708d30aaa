import { fireEvent, screen, waitFor, within } from "@testing-library/react";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { RestError } from "#/api/failure";
import { ReauthCancelled, settlePasswordRequest, withReauth } from "#/session/reauth";
import { changeSession } from "#/session/session";
import { owner, renderApp, stubRest } from "#/test/render-app";

const staff = { ...owner, role: "support", companyId: null, businessName: null };
const wanted = () => new RestError(403, '{"message":"x","code":"REAUTH_REQUIRED"}');

/** A call that is refused until the password has been confirmed. */
function guardedCall() {
  return vi
    .fn<() => Promise<string>>()
    .mockRejectedValueOnce(wanted())
    .mockResolvedValueOnce("done");
}

async function open(
  answer: Parameters<typeof stubRest>[0][string],
  { user = owner }: { user?: object } = {},
) {
  const calls = stubRest({
    "GET /api/auth/user": { status: 200, body: user },
    "POST /api/auth/reauth": answer,
  });
  const app = await renderApp("/");
  await screen.findByRole("heading", { level: 1 });
  const call = guardedCall();
  const result = withReauth(call);
  // Checked below; until then it must not count as unhandled.
  result.catch(() => undefined);
  const dialog = within(await screen.findByRole("dialog", { name: "Confirm your password" }));
  const confirm = (password: string) => {
    fireEvent.change(dialog.getByLabelText("Password"), { target: { value: password } });
    fireEvent.click(dialog.getByRole("button", { name: "Confirm" }));
  };
  return { ...app, calls, call, result, dialog, confirm };
}

beforeEach(() => settlePasswordRequest(false));

describe("a call that requires a recent sign-in", () => {
  it("asks for the user's password, and repeats the call once", async () => {
    const { dialog, confirm, result, call, calls } = await open({ status: 204 });
    expect(dialog.getByText("You are signed in as ana@acme.test.")).toBeTruthy();
    confirm("secret1");
    await expect(result).resolves.toBe("done");
    expect(call).toHaveBeenCalledTimes(2);
    expect(calls.at(-1)?.body).toEqual({ password: "secret1" });
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  });

  it("requires a password", async () => {
    const { dialog, confirm, calls } = await open({ status: 204 });
    confirm("");
    expect(await dialog.findByText("Password is required")).toBeTruthy();
    expect(calls.some((call) => call.path === "/api/auth/reauth")).toBe(false);
  });

  it("shows a wrong password once, and allows another attempt", async () => {
    const body = { message: "Incorrect password", code: "WRONG_PASSWORD" };
    const { dialog, confirm } = await open({ status: 401, body });
    confirm("wrong");
    expect(await dialog.findByText("That password is not correct.")).toBeTruthy();
    expect(dialog.queryByRole("alert")).toBeNull();
    await waitFor(() => expect(document.activeElement).toBe(dialog.getByLabelText("Password")));
    expect(dialog.getByRole("button", { name: "Confirm" })).toBeTruthy();
  });

  it("shows how long to wait after too many wrong passwords", async () => {
    const { dialog, confirm } = await open({ status: 204 });
    vi.stubGlobal("fetch", () =>
      Promise.resolve(new Response("{}", { status: 429, headers: { "Retry-After": "60" } })),
    );
    confirm("secret1");
    expect((await dialog.findByRole("alert")).textContent).toBe(
      "Too many attempts. Please wait 60 seconds and try again.",
    );
  });

  it("is not made when the user cancels", async () => {
    const { dialog, result, call } = await open({ status: 204 });
    fireEvent.click(dialog.getByRole("button", { name: "Cancel" }));
    await expect(result).rejects.toBeInstanceOf(ReauthCancelled);
    expect(call).toHaveBeenCalledTimes(1);
  });

  it("shares one dialog with another such call", async () => {
    const { confirm, result } = await open({ status: 204 });
    const other = withReauth(guardedCall());
    confirm("secret1");
    await expect(Promise.all([result, other])).resolves.toEqual(["done", "done"]);
  });

  it("is canceled when the user signs out meanwhile", async () => {
    const { queryClient, result } = await open({ status: 204 });
    await changeSession(queryClient, null);
    await expect(result).rejects.toBeInstanceOf(ReauthCancelled);
  });

  it("works for support staff", async () => {
    const { confirm, result } = await open({ status: 204 }, { user: staff });
    confirm("secret1");
    await expect(result).resolves.toBe("done");
  });
});
