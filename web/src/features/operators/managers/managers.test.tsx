import { Code } from "@connectrpc/connect";
import { fireEvent, screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { settlePasswordRequest } from "#/session/reauth";
import { currentToast } from "#/shared/toast/store";
import { reauthRequired } from "#/test/refusal";
import {
  openOperators,
  press,
  refusal,
  submit,
  temporaryPassword,
  expectToast,
  type,
} from "../operators.fixture";

const list = () => within(screen.getByRole("table", { name: "Owner and managers" }));

function fill(first: string, last: string, email: string) {
  press("Add manager");
  type("First name", first);
  type("Last name", last);
  type("Email", email);
  submit("Add manager");
}

describe("who sees what", () => {
  it("the owner first, with the addresses; only managers can be changed", async () => {
    await openOperators();
    const rows = list().getAllByRole("row").slice(1);
    expect(rows[0]?.textContent).toContain("Ana RuizYouOwnerana@acme.test");
    expect(rows[1]?.textContent).toContain("Zoe HillManagerzoe@acme.test");
    expect(within(rows[0] ?? document.body).queryByRole("button")).toBeNull();
    expect(within(rows[1] ?? document.body).getAllByRole("button")).toHaveLength(3);
  });

  it("a manager sees them, and who may change them", async () => {
    await openOperators({ as: "manager" });
    await waitFor(() => expect(list().getByText("You")).toBeTruthy());
    expect(screen.queryByRole("button", { name: "Add manager" })).toBeNull();
    expect(list().queryByRole("button")).toBeNull();
    expect(screen.getByText(/Only the owner can add, change or remove managers/)).toBeTruthy();
  });
});

describe("adding a manager", () => {
  it.each([
    ["", "Baker", "tom@acme.test", "Please fill in all required fields.", "Missing Information"],
    ["Tom", " ", "tom@acme.test", "Please fill in all required fields.", "Missing Information"],
    ["Tom", "Baker", "", "Please fill in all required fields.", "Missing Information"],
    ["Tom", "Baker", "tom@", "Please enter a valid email address", undefined],
  ])("%j %j %j is refused", async (first, last, email, text, title) => {
    const { calls } = await openOperators();
    fill(first, last, email);
    expect(await screen.findByText(text, { selector: "[id$=error] *, [id$=error]" })).toBeTruthy();
    expect(currentToast()?.title).toBe(title);
    expect(calls).toEqual([]);
  });

  it("shows the temporary password once and stores it nowhere", async () => {
    const { calls, queryClient } = await openOperators();
    fill(" Tom", "Baker ", " tom@acme.test ");
    const dialog = within(await screen.findByRole("dialog", { name: "Manager added" }));
    expect(calls).toEqual([["createManager", "Tom", "Baker", "tom@acme.test"]]);
    expect(dialog.getByText(temporaryPassword)).toBeTruthy();
    const kept = queryClient.getMutationCache().getAll();
    expect(JSON.stringify(kept.map(({ state }) => state))).not.toContain(temporaryPassword);
    expect(JSON.stringify(currentToast())).not.toContain(temporaryPassword);
    // Closing without a copy needs a second press.
    fireEvent.click(dialog.getByRole("button", { name: "Close" }));
    expect(dialog.getByRole("alert").textContent).toMatch(/has not been copied/);
    fireEvent.click(dialog.getByRole("button", { name: "Close" }));
    expect(screen.queryByRole("dialog")).toBeNull();
    expect(document.documentElement.innerHTML).not.toContain(temporaryPassword);
  });

  it("copies the temporary password, and then closes immediately", async () => {
    const copied: string[] = [];
    const writeText = (text: string) => Promise.resolve(void copied.push(text));
    Object.defineProperty(navigator, "clipboard", { value: { writeText }, configurable: true });
    await openOperators();
    fill("Tom", "Baker", "tom@acme.test");
    fireEvent.click(await screen.findByRole("button", { name: "Copy password" }));
    await expectToast("Password copied");
    expect(copied).toEqual([temporaryPassword]);
    submit("Close");
    expect(screen.queryByRole("dialog")).toBeNull();
  });

  it("with a taken address says so under the field", async () => {
    const { state } = await openOperators();
    state.refuse = refusal("That email or business name is already in use.", Code.AlreadyExists);
    fill("Tom", "Baker", "zoe@acme.test");
    const text = "This email is already in use. Each person needs their own.";
    expect(await screen.findByText(text)).toBeTruthy();
    expect(currentToast()).toBeNull();
    const field = screen.getByLabelText("Email");
    expect(field.getAttribute("aria-invalid")).toBe("true");
    expect(field).toHaveProperty("value", "zoe@acme.test");
  });

  it("that fails shows the reason once, and keeps typed values", async () => {
    const { state } = await openOperators();
    state.refuse = refusal("Not today.");
    fill("Tom", "Baker", "tom@acme.test");
    expect((await screen.findByRole("alert")).textContent).toBe("Not today.");
    expect(currentToast()).toBeNull();
    expect(screen.getByLabelText("Email")).toHaveProperty("value", "tom@acme.test");
  });
});

describe("changing a manager", () => {
  it("renames", async () => {
    const { calls } = await openOperators();
    press("Edit Zoe Hill");
    expect(screen.queryByLabelText("Email")).toBeNull();
    type("Last name", "Hills");
    submit("Save");
    await expectToast("Manager updated");
    expect(calls).toEqual([["update", "m1", "Zoe", "Hills"]]);
  });

  it("asks before removing, and shows a refusal", async () => {
    const { calls, state } = await openOperators();
    press("Remove Zoe Hill");
    expect(
      screen.getByRole("alertdialog", { name: "Are you sure you want to remove Zoe Hill?" }),
    ).toBeTruthy();
    state.refuse = refusal("Not today.");
    press("Remove manager");
    await expectToast("Failed to remove manager", "Not today.");
    state.refuse = null;
    press("Remove manager");
    await expectToast("Manager removed");
    expect(calls).toEqual([
      ["delete", "m1"],
      ["delete", "m1"],
    ]);
  });
});

describe("when the server wants a recent sign-in", () => {
  const add = () => fill("Tom", "Baker", "tom@acme.test");
  const remove = () => {
    press("Remove Zoe Hill");
    press("Remove manager");
  };
  it.each([
    ["adding", add],
    ["removing", remove],
  ])("%s is repeated once the password is confirmed", async (_, start) => {
    const { calls, state } = await openOperators();
    state.refuse = reauthRequired();
    start();
    await waitFor(() => expect(calls).toHaveLength(1));
    state.refuse = null;
    await waitFor(() => {
      settlePasswordRequest(true);
      expect(calls).toHaveLength(2);
    });
    expect(calls[1]).toEqual(calls[0]);
    await waitFor(() =>
      expect(
        screen.queryByRole("dialog", { name: "Manager added" }) ?? currentToast()?.title,
      ).toBeTruthy(),
    );
  });

  it.each([
    ["adding", add],
    ["removing", remove],
  ])("%s is no failure when the dialog is dismissed", async (_, start) => {
    const { calls, state } = await openOperators();
    state.refuse = reauthRequired();
    start();
    await waitFor(() => expect(calls).toHaveLength(1));
    await waitFor(() => {
      settlePasswordRequest(false);
      expect(screen.queryByText(/Adding|Removing/)).toBeNull();
    });
    expect(calls).toHaveLength(1);
    expect(currentToast()).toBeNull();
    expect(screen.queryByRole("alert")).toBeNull();
  });
});

describe("resetting a manager's two-step sign-in", () => {
  const reset = "Reset two-step sign-in of Zoe Hill";

  it("is offered for a manager who has one, and asks first", async () => {
    const { calls } = await openOperators({ secondFactor: true });
    press(reset);
    const question = within(await screen.findByRole("alertdialog"));
    expect(question.getByText(/signed out everywhere/)).toBeTruthy();
    fireEvent.click(question.getByRole("button", { name: "Reset" }));
    await expectToast("Two-step sign-in was reset");
    expect(calls).toEqual([["resetSecondFactor", "m1"]]);
  });

  it("shows why it was refused", async () => {
    const { state } = await openOperators({ secondFactor: true });
    state.refuse = refusal("Not available.", Code.Internal);
    press(reset);
    fireEvent.click(
      within(await screen.findByRole("alertdialog")).getByRole("button", { name: "Reset" }),
    );
    await expectToast("The reset failed");
    expect(screen.getByRole("alertdialog")).toBeTruthy();
  });

  it("is hidden without one", async () => {
    await openOperators();
    expect(screen.queryByRole("button", { name: reset })).toBeNull();
  });
});
