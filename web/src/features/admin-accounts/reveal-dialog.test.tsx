import { Code } from "@connectrpc/connect";
import { act, fireEvent, screen, waitFor } from "@testing-library/react";
import { afterEach, describe, expect, it, vi } from "vitest";
import { reauthRequired, refusal } from "#/test/refusal";
import {
  account,
  type Calls,
  open,
  press,
  reasonText,
  refuse,
  rows,
  secret,
  type,
} from "./admin-accounts.fixture";

afterEach(() => vi.useRealTimers());

describe("Reveal", () => {
  const begin = async (
    revealAccountOperatorPassword: NonNullable<Calls["revealAccountOperatorPassword"]>,
  ) => {
    const page = await open([account(1)], { revealAccountOperatorPassword });
    await rows(1);
    press("Reveal the operator password of Business 1");
    return page;
  };

  it.each([
    ["", "Please give a reason of at least 10 characters."],
    [" 12345678 ", "Please give a reason of at least 10 characters."],
    ["😀".repeat(9), "Please give a reason of at least 10 characters."],
    ["12345678\u200B\u200B", "Please give a reason of at least 10 characters."],
    ["x".repeat(501), "The reason must be at most 500 characters."],
  ])("refuses the reason %j", async (reason, text) => {
    const reveal = vi.fn<() => { operatorPassword: string }>(() => ({ operatorPassword: secret }));
    await begin(reveal);
    type("Reason", reason);
    press("Reveal password");
    expect(await screen.findByText(text)).toBeTruthy();
    expect(reveal).not.toHaveBeenCalled();
  });

  it("asks for a reason and the own password, shows it once, stores it nowhere", async () => {
    let recent = false;
    const sent: string[] = [];
    const reveal: Calls["revealAccountOperatorPassword"] = ({ reason }) => {
      sent.push(reason);
      if (!recent) throw reauthRequired();
      return { operatorPassword: secret };
    };
    const confirmed = () => {
      recent = true;
      return { status: 204 };
    };
    const page = await open(
      [account(1)],
      { revealAccountOperatorPassword: reveal },
      { "POST /api/auth/reauth": confirmed },
    );
    await rows(1);
    press("Reveal the operator password of Business 1");
    expect(screen.getByText(/owner sees in the audit log who revealed it/)).toBeTruthy();
    type("Reason", `  ${reasonText} `);
    press("Reveal password");
    const field = await screen.findByLabelText("Password");
    fireEvent.change(field, { target: { value: "own-password" } });
    press("Confirm");
    expect((await screen.findByText(secret)).textContent).toBe(secret);
    expect(sent).toEqual([reasonText, reasonText]);
    const kept = [
      page.queryClient
        .getQueryCache()
        .getAll()
        .map((query) => query.state),
      page.queryClient
        .getMutationCache()
        .getAll()
        .map((mutation) => mutation.state),
      [localStorage, sessionStorage].map((storage) => Object.entries(storage)),
    ];
    // JSON can't represent a timestamp's bigint.
    const text = JSON.stringify(kept, (_, value: unknown) =>
      typeof value === "bigint" ? String(value) : value,
    );
    expect(text).not.toContain(secret);
    const [close] = screen.getAllByRole("button", { name: "Close" });
    if (close) fireEvent.click(close);
    await waitFor(() => expect(screen.queryByText(secret)).toBeNull());
  });

  it("hides itself after half a minute", async () => {
    await begin(() => ({ operatorPassword: secret }));
    type("Reason", reasonText);
    vi.useFakeTimers({ shouldAdvanceTime: true });
    press("Reveal password");
    await screen.findByText(secret);
    act(() => void vi.advanceTimersByTime(29_000));
    expect(screen.queryByText(secret)).not.toBeNull();
    act(() => void vi.advanceTimersByTime(1_500));
    await waitFor(() => expect(screen.queryByText(secret)).toBeNull());
    expect(screen.getByText("The password is hidden again.")).toBeTruthy();
  });

  it("hides itself when the page is hidden", async () => {
    await begin(() => ({ operatorPassword: secret }));
    type("Reason", reasonText);
    press("Reveal password");
    await screen.findByText(secret);
    vi.spyOn(document, "visibilityState", "get").mockReturnValue("hidden");
    fireEvent(document, new Event("visibilitychange"));
    await waitFor(() => expect(screen.queryByText(secret)).toBeNull());
  });

  it("explains the limit of ten a day, and keeps typed values", async () => {
    await begin(refuse(refusal(Code.ResourceExhausted)));
    type("Reason", reasonText);
    press("Reveal password");
    expect((await screen.findByRole("alert")).textContent).toContain(
      "You have revealed 10 operator passwords in the last 24 hours",
    );
    expect(screen.getByLabelText("Reason")).toHaveProperty("value", reasonText);
  });

  it("shows if there is none", async () => {
    await begin(refuse(refusal(Code.FailedPrecondition, "OPERATOR_PASSWORD_NOT_SET")));
    type("Reason", reasonText);
    press("Reveal password");
    expect(await screen.findByText("This company has not set an operator password.")).toBeTruthy();
  });

  it("shows if the account no longer exists", async () => {
    await begin(refuse(refusal(Code.NotFound)));
    type("Reason", reasonText);
    press("Reveal password");
    expect((await screen.findByRole("alert")).textContent).toContain("no longer exists");
  });

  it("stays hidden if the own password is not given", async () => {
    await begin(refuse(refusal(Code.PermissionDenied, "REAUTH_REQUIRED")));
    type("Reason", reasonText);
    press("Reveal password");
    await screen.findByLabelText("Password");
    press("Cancel");
    await waitFor(() => expect(screen.queryByLabelText("Password")).toBeNull());
    expect(screen.queryByRole("alert")).toBeNull();
    expect(screen.getByLabelText("Reason")).toHaveProperty("value", reasonText);
  });
});
