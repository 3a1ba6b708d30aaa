import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError, createRouterTransport } from "@connectrpc/connect";
import { fireEvent, screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it, vi } from "vitest";
import {
  AccountsService,
  type SecondFactorSchema,
} from "#/api/gen/hourmeter/accounts/v1/accounts_pb";
import { changeLanguage } from "#/i18n";
import { currentToast } from "#/shared/toast/store";
import { owner, renderPart, stubRest } from "#/test/render-app";
import { SecondFactorCard } from "./second-factor-card";

type Factor = MessageInitShape<typeof SecondFactorSchema>;

const since = timestampFromDate(new Date(2026, 6, 3, 12));
const codes = Array.from({ length: 10 }, (_, index) => `abcde-fghj${index}`);
const on: Factor = { authenticatorSince: since, recoveryCodesLeft: 10 };

async function open(first: Factor = {}) {
  stubRest({ "GET /api/auth/user": { status: 200, body: owner } });
  const state = { factor: first, refuse: null as ConnectError | null };
  const calls: string[] = [];
  const note = (call: string) => {
    calls.push(call);
    if (state.refuse) throw state.refuse;
  };
  const transport = createRouterTransport(({ service }) => {
    service(AccountsService, {
      getSecondFactor: () => ({ secondFactor: state.factor }),
      startAuthenticator: () => ({
        secret: "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ",
        url: "otpauth://totp/x",
      }),
      confirmAuthenticator: ({ code }) => {
        note(`confirm ${code}`);
        state.factor = on;
        return { secondFactor: on, recoveryCodes: codes };
      },
      turnOffSecondFactor: () => {
        note("off");
        state.factor = {};
        return {};
      },
      replaceRecoveryCodes: () => {
        note("codes");
        return { recoveryCodes: codes };
      },
      removePasskey: ({ id }) => {
        note(`remove ${id}`);
        return {};
      },
    });
  });
  const done = vi.fn<() => void>();
  await renderPart(<SecondFactorCard onDone={done} />, transport);
  await screen.findByRole("heading", { name: "Authenticator app" });
  return { state, calls, done };
}

const press = (name: string | RegExp) => fireEvent.click(screen.getByRole("button", { name }));

describe("two-step sign-in", () => {
  it("is set up with a code, and the recovery codes are shown once", async () => {
    const { calls, done } = await open();
    press("Set up");
    await screen.findByText("GEZD GNBV GY3T QOJQ GEZD GNBV GY3T QOJQ");
    expect(screen.getByRole("img", { name: "QR code for the authenticator app" })).toBeTruthy();
    press("Turn on");
    expect(await screen.findByText(/Please enter the six digits/)).toBeTruthy();
    fireEvent.change(screen.getByLabelText("Authenticator code"), { target: { value: "123 456" } });
    press("Turn on");
    const dialog = within(await screen.findByRole("dialog", { name: "Your recovery codes" }));
    expect(calls).toEqual(["confirm 123 456"]);
    expect(dialog.getAllByRole("listitem").map((item) => item.textContent)).toEqual(codes);
    fireEvent.click(dialog.getByRole("button", { name: "I have saved them" }));
    expect(dialog.getByRole("alert").textContent).toMatch(/not copied, downloaded or printed/);
    expect(done).not.toHaveBeenCalled();
    fireEvent.click(dialog.getByRole("button", { name: "I have saved them" }));
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
    expect(done).toHaveBeenCalledOnce();
    expect(await screen.findByText("On since Jul 3, 2026.")).toBeTruthy();
  });

  it("says that a code was wrong under its field", async () => {
    const { state } = await open();
    press("Set up");
    await screen.findByText(/GEZD/);
    state.refuse = new ConnectError(
      "The code is not valid. Please enter the current one.",
      Code.InvalidArgument,
    );
    fireEvent.change(screen.getByLabelText("Authenticator code"), { target: { value: "123456" } });
    press("Turn on");
    const text = "The code is not valid. Please enter the current one.";
    expect((await screen.findAllByText(text)).length).toBeGreaterThan(0);
    expect(screen.queryByText("Your recovery codes")).toBeNull();
  });

  it("is turned off after a question", async () => {
    const { calls } = await open(on);
    press("Turn off two-step sign-in");
    press("Cancel");
    expect(calls).toEqual([]);
    press("Turn off two-step sign-in");
    press("Turn off");
    await waitFor(() => expect(currentToast()?.title).toBe("Two-step sign-in is off"));
    expect(await screen.findByText("Not set up.")).toBeTruthy();
  });

  it("can't be turned off where the company requires it, and says so", async () => {
    await open({ ...on, required: true });
    const off = screen.getByRole("button", { name: "Turn off two-step sign-in" });
    expect(off.getAttribute("aria-disabled")).toBe("true");
    expect(screen.getAllByText(/Your company requires it/).length).toBeGreaterThan(0);
  });

  it("lists passkeys, and removes one after a question", async () => {
    const passkeys = [
      { id: "p1", name: "Office laptop", createdAt: since },
      { id: "p2", name: "Phone", createdAt: since, lastUsedAt: since },
    ];
    const { calls } = await open({ passkeys, recoveryCodesLeft: 2 });
    expect(screen.getByText("2 passkeys.")).toBeTruthy();
    expect(screen.getByText(/Not used yet/)).toBeTruthy();
    // Passkeys can't be added without browser support.
    expect(screen.queryByRole("button", { name: "Add a passkey" })).toBeNull();
    expect(screen.getByText("Create new codes before you run out.")).toBeTruthy();
    press("Remove passkey Office laptop");
    press("Remove");
    await waitFor(() => expect(calls).toEqual(["remove p1"]));
  });

  it("makes new recovery codes after a question", async () => {
    const { calls } = await open(on);
    press("New codes");
    fireEvent.click(
      within(screen.getByRole("alertdialog")).getByRole("button", { name: "New codes" }),
    );
    expect(await screen.findByRole("dialog", { name: "Your recovery codes" })).toBeTruthy();
    expect(calls).toEqual(["codes"]);
  });

  it("reads in Spanish too", async () => {
    await open(on);
    await changeLanguage("es");
    expect(await screen.findByText("Verificación en dos pasos")).toBeTruthy();
    expect(screen.getByText("Quedan 10.")).toBeTruthy();
  });
});
