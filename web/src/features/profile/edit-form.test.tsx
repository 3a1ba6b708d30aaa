import { act, fireEvent, screen, waitFor, within } from "@testing-library/react";
import { Code, ConnectError } from "@connectrpc/connect";
import { describe, expect, it } from "vitest";
import { currentToast } from "#/shared/toast/store";
import { expectFormError } from "#/test/form-error";
import { reauthRequired } from "#/test/refusal";
import { dana, maria, open, fact, press, field, type, sessions, edit } from "./profile.fixture";

describe("the profile, edited", () => {
  it("sends only what differs and renews the session", async () => {
    const { calls, rest } = await open(dana);
    await edit();
    await waitFor(() => expect(document.activeElement).toBe(field(/^First name/)));
    expect(screen.getByRole("button", { name: "Save changes" }).ariaDisabled).toBe("true");
    type(/^Last name/, " Vega ");
    type(/^Secondary email/, "dana@home.test");
    const before = sessions(rest);
    press("Save changes");
    await waitFor(() => expect(currentToast()?.title).toBe("Profile updated"));
    expect(calls).toEqual([{ lastName: "Vega", secondaryEmail: "dana@home.test" }]);
    expect(sessions(rest)).toBe(before + 1);
    expect(await screen.findByText("Dana Vega")).toBeTruthy();
    await waitFor(() =>
      expect(document.activeElement).toBe(screen.getByRole("button", { name: "Edit profile" })),
    );
  });

  it("saves the company's name as a setting of the company", async () => {
    const { calls } = await open(dana);
    await edit();
    type("Company name", "Acme Site Works");
    press("Save changes");
    await waitFor(() => expect(currentToast()?.title).toBe("Profile updated"));
    expect(calls).toEqual([{ companyName: "Acme Site Works" }]);
    await waitFor(() => expect(fact("Company name")).toBe("Acme Site Works"));
  });

  it.each([
    ["Email", "dana@", "Please enter a valid email address."],
    [/^Secondary email/, "dana", "Please enter a valid secondary email address."],
    ["Company name", "  ", "Company name cannot be empty."],
  ])("refuses %s %j", async (name, value, text) => {
    const { calls } = await open(dana);
    await edit();
    type(name, value);
    press("Save changes");
    expect(await screen.findByText(text)).toBeTruthy();
    expect(field(name).getAttribute("aria-invalid")).toBe("true");
    expect(calls).toEqual([]);
  });

  it("asks for the password when another e-mail needs a recent sign-in, and repeats the call", async () => {
    const { state, calls, rest } = await open(dana);
    state.refuse = [reauthRequired()];
    await edit();
    type("Email", "d.ruiz@acme.test");
    press("Save changes");
    const dialog = await screen.findByRole("dialog");
    fireEvent.change(within(dialog).getByLabelText("Password"), { target: { value: "secret1" } });
    fireEvent.submit(within(dialog).getByLabelText("Password"));
    await waitFor(() => expect(currentToast()?.title).toBe("Profile updated"));
    expect(calls).toEqual([{ email: "d.ruiz@acme.test" }, { email: "d.ruiz@acme.test" }]);
    expect(rest.filter((call) => call.path === "/api/auth/reauth").length).toBe(1);
  });

  it("keeps typed values when the password dialog is closed", async () => {
    const { state, calls } = await open(dana);
    state.refuse = [reauthRequired()];
    await edit();
    type("Email", "d.ruiz@acme.test");
    press("Save changes");
    const dialog = await screen.findByRole("dialog");
    fireEvent.click(within(dialog).getByRole("button", { name: "Cancel" }));
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
    expect(field("Email").value).toBe("d.ruiz@acme.test");
    expect(currentToast()).toBeNull();
    expect(calls.length).toBe(1);
  });

  it("shows a taken e-mail at its field", async () => {
    const { state } = await open(dana);
    const text = "That email or business name is already in use.";
    state.refuse = [new ConnectError(text, Code.AlreadyExists)];
    await edit();
    type("Email", "luis@acme.test");
    press("Save changes");
    await waitFor(() => expect(field("Email").getAttribute("aria-invalid")).toBe("true"));
    expect(currentToast()).toMatchObject({ title: "Update Failed", description: text });
    expect(field("Email").value).toBe("luis@acme.test");
    await expectFormError(text);
  });

  it("shows which half was saved, and retries only the other one", async () => {
    const { state, calls } = await open(dana);
    state.refuseCompany = new ConnectError(
      "That business name is already in use.",
      Code.AlreadyExists,
    );
    await edit();
    type(/^First name/, "Daniela");
    type("Email", "daniela@acme.test");
    type("Company name", "Taken");
    press("Save changes");
    await expectFormError(
      "That business name is already in use. Your own details were saved, but the company name was not.",
    );
    expect(await screen.findByText("Daniela Ruiz")).toBeTruthy();
    expect(field("Company name").value).toBe("Taken");
    expect(field("Company name").getAttribute("aria-invalid")).toBe("true");
    expect(field("Email").getAttribute("aria-invalid")).toBeNull();
    state.refuseCompany = null;
    type("Company name", "Acme Two");
    press("Save changes");
    await waitFor(() => expect(currentToast()?.title).toBe("Profile updated"));
    expect(calls).toEqual([
      { firstName: "Daniela", email: "daniela@acme.test" },
      { companyName: "Taken" },
      { companyName: "Acme Two" },
    ]);
  });

  it("is restored by Cancel", async () => {
    const { calls } = await open(dana);
    await edit();
    type(/^First name/, "Somebody");
    press("Cancel");
    expect(fact("First name")).toBe("Dana");
    await edit();
    expect(field(/^First name/).value).toBe("Dana");
    expect(calls).toEqual([]);
  });

  it("asks before typed values are lost", async () => {
    const { calls, router } = await open(dana);
    await edit();
    type(/^First name/, "Somebody");
    act(() => void router.navigate({ to: "/settings" }));
    const dialog = await screen.findByRole("alertdialog");
    expect(dialog.textContent).toContain("Leave without saving?");
    fireEvent.click(within(dialog).getByRole("button", { name: "Stay here" }));
    expect(field(/^First name/).value).toBe("Somebody");
    act(() => void router.navigate({ to: "/settings" }));
    const again = await screen.findByRole("alertdialog");
    fireEvent.click(within(again).getByRole("button", { name: "Leave" }));
    await waitFor(() => expect(router.state.location.pathname).toBe("/settings"));
    expect(calls).toEqual([]);
  });

  it("of an operator has names and contact addresses, and nothing of the company", async () => {
    const { calls } = await open(maria);
    await edit();
    expect(screen.queryByLabelText("Company name")).toBeNull();
    type("First name", " ");
    press("Save changes");
    expect(await screen.findByText("Please fill in all required fields.")).toBeTruthy();
    type("First name", "Maria");
    type(/^Email/, "maria@home.test");
    press("Save changes");
    await waitFor(() => expect(currentToast()?.title).toBe("Profile updated"));
    expect(calls).toEqual([{ email: "maria@home.test" }]);
  });
});
