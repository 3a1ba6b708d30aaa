import { Code, ConnectError } from "@connectrpc/connect";
import { act, fireEvent, screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it, vi } from "vitest";
import { Language, Role, Scope } from "#/api/gen/hourmeter/accounts/v1/accounts_pb";
import { changeLanguage } from "#/i18n";
import { currentToast } from "#/shared/toast/store";
import { dana, field, maria, open, press, type } from "./profile.fixture";

const verified = { ...dana, emailVerified: true, language: Language.ENGLISH };
const unavailable = new ConnectError("Not now.", Code.Internal);

const day = (name: string) => screen.findByRole<HTMLInputElement>("checkbox", { name });
const chosen = () =>
  screen.getAllByRole<HTMLInputElement>("checkbox").flatMap((each, index) => {
    return each.checked ? [index + 1] : [];
  });
async function toggle(...names: string[]) {
  for (const name of names) fireEvent.click(await day(name));
}

describe("the digest's schedule", () => {
  it("is shown, in the company's time zone", async () => {
    await open(verified);
    await day("Monday");
    expect(chosen()).toEqual([1, 2, 3, 4, 5]);
    expect(field("Time").value).toBe("07:05");
    expect(await screen.findByText(/time zone: America \/ Mexico City/)).toBeTruthy();
    expect(screen.queryByText(/starts once your email/)).toBeNull();
    const save = screen.getByRole("button", { name: "Save" });
    expect(save.getAttribute("aria-disabled")).toBe("true");
  });

  it("names the machines that were chosen, and leads to them", async () => {
    await open(verified, { chosenMachines: true });
    const link = await screen.findByRole("link", { name: "Only of the machines that you watch." });
    expect(link.getAttribute("href")).toBe("/notifications");
  });

  it("is about all machines without a choice", async () => {
    const { queryClient } = await open(verified);
    await day("Monday");
    await waitFor(() => expect(queryClient.isFetching()).toBe(0));
    expect(screen.queryByText(/that you watch/)).toBeNull();
  });

  it("is saved with the changed values", async () => {
    const { calls } = await open({ ...verified, role: Role.MANAGER });
    await toggle("Friday", "Sunday");
    type("Time", "18:30");
    press("Save");
    await waitFor(() => expect(currentToast()?.title).toBe("Morning digest updated"));
    expect(calls).toEqual([{ minute: 1110, weekdays: [1, 2, 3, 4, 7] }]);
    const save = screen.getByRole("button", { name: "Save" });
    expect(save.getAttribute("aria-disabled")).toBe("true");
    expect(field("Time").value).toBe("18:30");
  });

  it("without a day is no digest", async () => {
    const { calls } = await open(verified);
    await day("Monday");
    expect(screen.queryByText("No digest")).toBeNull();
    await toggle("Monday", "Tuesday", "Wednesday", "Thursday", "Friday");
    expect(screen.getByText("No digest")).toBeTruthy();
    press("Save");
    await waitFor(() => expect(calls).toEqual([{ minute: 425, weekdays: [] }]));
  });

  it("that a mail's link ended starts again with its days", async () => {
    const { calls } = await open(verified, { formerWeekdays: [2, 4] });
    await screen.findByText("You ended the digest with the link in a mail.");
    press("Choose the former days again");
    press("Save");
    await waitFor(() => expect(calls).toEqual([{ minute: 425, weekdays: [2, 4] }]));
  });

  it("needs a time", async () => {
    const { calls } = await open(verified);
    await day("Monday");
    type("Time", "");
    press("Save");
    expect(await screen.findByText("Please fill in all required fields.")).toBeTruthy();
    expect(calls).toEqual([]);
  });

  it("keeps the choice after a refusal", async () => {
    const { state, calls } = await open(verified);
    await toggle("Sunday");
    state.refuseDigest = unavailable;
    press("Save");
    await waitFor(() => expect(currentToast()?.tone).toBe("failure"));
    expect(chosen()).toEqual([1, 2, 3, 4, 5, 7]);
    state.refuseDigest = null;
    press("Save");
    await waitFor(() => expect(currentToast()?.tone).toBe("success"));
    expect(calls).toHaveLength(2);
  });

  it("can be loaded again after a failure", async () => {
    const { state } = await open(verified, {
      digestRefused: unavailable,
    });
    const card = await screen.findByRole("region", { name: "Morning digest" });
    expect((await within(card).findByRole("alert")).textContent).toContain("Not now.");
    state.refuseDigest = null;
    fireEvent.click(within(card).getByRole("button", { name: "Try again" }));
    expect((await day("Monday")).checked).toBe(true);
  });

  it("is in the language of the person", async () => {
    await open(verified);
    await day("Monday");
    await act(() => changeLanguage("es"));
    expect(screen.getByRole("region", { name: "Resumen de la mañana" })).toBeTruthy();
    expect((await day("miércoles")).checked).toBe(true);
    expect(screen.getByText("mié")).toBeTruthy();
  });

  it("is scrolled to by the link of a mail", async () => {
    history.replaceState(null, "", "/profile#digest");
    const scroll = vi.spyOn(Element.prototype, "scrollIntoView");
    await open(verified);
    const card = await screen.findByRole("region", { name: "Morning digest" });
    expect(scroll.mock.contexts).toContain(card);
    history.replaceState(null, "", "/");
  });

  it("is not for operators", async () => {
    await open(maria);
    await screen.findByText("Maria Lopez");
    expect(screen.queryByText("Morning digest")).toBeNull();
  });

  it("is not for a manager in an operator's session", async () => {
    await open({ ...verified, role: Role.MANAGER, scope: Scope.OPERATOR });
    await screen.findByRole("heading", { name: "Contrast" });
    expect(screen.queryByText("Morning digest")).toBeNull();
  });
});

describe("a digest on request", () => {
  const button = () => screen.findByRole("button", { name: "Send it to me now" });
  const send = async () => fireEvent.click(await button());

  it("is mailed", async () => {
    const { calls } = await open(verified);
    await send();
    await waitFor(() => expect(currentToast()?.title).toBe("Sent to dana@acme.test."));
    expect(calls).toEqual([{ digest: true }]);
    expect(currentToast()?.action?.label).toBe("Open mailbox");
  });

  it("leads a manager to no mailbox", async () => {
    await open({ ...verified, role: Role.MANAGER });
    await send();
    await waitFor(() => expect(currentToast()?.title).toBe("Sent to dana@acme.test."));
    expect(currentToast()?.action).toBeUndefined();
  });

  it("needs a verified address, the schedule does not", async () => {
    const { calls } = await open(dana);
    await send();
    expect((await button()).getAttribute("aria-disabled")).toBe("true");
    expect(screen.getAllByText("It starts once your email is verified.")).toHaveLength(2);
    await toggle("Sunday");
    press("Save");
    await waitFor(() => expect(calls).toEqual([{ minute: 425, weekdays: [1, 2, 3, 4, 5, 7] }]));
  });

  it("says why it was not mailed", async () => {
    const { state } = await open(verified);
    await day("Monday");
    state.refuseDigest = unavailable;
    await send();
    await waitFor(() => expect(currentToast()?.title).toBe("The digest could not be sent"));
    expect(currentToast()?.description).toContain("Not now.");
  });
});
