import { fireEvent, screen, waitFor, within } from "@testing-library/react";
import { afterEach, describe, expect, it, vi } from "vitest";
import { operator } from "#/test/render-app";
import type { OwnUpdate } from "../offline-data/own-update";
import { ago, ownUpdate as update, unavailable } from "../operator.fixture";
import { choose, open, press, textOf, type, valueOf } from "../operator-page.fixture";

afterEach(() => vi.restoreAllMocks());

const pending = update("u1", { newUsage: 48125, notes: "Oil leak", capturedAt: ago(0.001) });
const ownUpdates = async () => within(await screen.findByRole("region", { name: "Your updates" }));

async function ask() {
  const list = await ownUpdates();
  fireEvent.click(await list.findByRole("button", { name: "Withdraw" }));
  return screen.findByRole("alertdialog", { name: "Withdraw this update?" });
}
const confirm = (asked: HTMLElement) =>
  fireEvent.click(within(asked).getByRole("button", { name: "Withdraw" }));

describe("a pending update", () => {
  it("is withdrawn after a question that names the machine and the values", async () => {
    await open({ sent: [pending] });
    const asked = await ask();
    expect(textOf(asked)).toContain("Excavator · 48,125 h · with a note");
    confirm(asked);
    await waitFor(() => expect(screen.queryByRole("alertdialog")).toBeNull());
    const list = await ownUpdates();
    expect(list.getByText("Withdrawn")).toBeTruthy();
    expect(list.queryByText(/^Reason/)).toBeNull();
    expect(screen.queryByRole("region", { name: "Rejected" })).toBeNull();
    expect(document.activeElement?.textContent).toBe("Edit and send again");
  });

  it("can be edited and sent again", async () => {
    const { received } = await open({ sent: [pending] });
    confirm(await ask());
    fireEvent.click(await screen.findByRole("button", { name: "Edit and send again" }));
    await screen.findByText("You withdrew this update. Edit it and send it again.");
    expect(valueOf("Meter reading (hours)")).toBe("48125");
    type("Meter reading (hours)", "4812.5");
    press("Submit");
    await waitFor(() => expect(received).toHaveLength(1));
    expect(received[0]).toMatchObject({ newUsage: 4812.5, notes: "Oil leak" });
    expect(await (await ownUpdates()).findByText("You sent a correction.")).toBeTruthy();
  });

  it("no longer counts as a correction once it is withdrawn", async () => {
    const rejected = update("r1", { status: "rejected", newUsage: 48125, reviewedAt: ago(0.1) });
    await open({ sent: [rejected] });
    const message = await screen.findByRole("region", { name: "Rejected" });
    fireEvent.click(within(message).getByRole("button", { name: "Send a correction" }));
    await screen.findByLabelText("Meter reading (hours)");
    type("Meter reading (hours)", "4812.5");
    press("Submit");
    const list = await ownUpdates();
    expect(await list.findByText("You sent a correction.")).toBeTruthy();
    confirm(await ask());
    await list.findByText("Withdrawn");
    expect(list.queryByText("You sent a correction.")).toBeNull();
    expect(list.getByRole("button", { name: "Send a correction" })).toBeTruthy();
  });

  it("stays without signal, and the question names the reason", async () => {
    vi.spyOn(navigator, "onLine", "get").mockReturnValue(false);
    await open({ sent: [pending] });
    const asked = await ask();
    expect(within(asked).getByRole("alert").textContent).toContain("needs signal");
    vi.stubGlobal("fetch", () => Promise.reject(new TypeError("no signal")));
    confirm(asked);
    await within(asked).findByRole("button", { name: "Withdraw" });
    expect(within(asked).getByRole("alert").textContent).toContain("needs signal");
    fireEvent.click(within(asked).getByRole("button", { name: "Cancel" }));
    const list = await ownUpdates();
    expect(list.getByText("Sent, waiting for review")).toBeTruthy();
    expect(list.queryByText("Withdrawn")).toBeNull();
  });

  it("stays when the server fails", async () => {
    await open({ sent: [pending], withdrawal: () => unavailable });
    const asked = await ask();
    confirm(asked);
    expect(await within(asked).findByRole("alert")).toBeTruthy();
    fireEvent.click(within(asked).getByRole("button", { name: "Cancel" }));
    expect((await ownUpdates()).getByText("Sent, waiting for review")).toBeTruthy();
  });

  it("is shown as decided if a manager was faster", async () => {
    const body = { message: "This update was already applied.", code: "ALREADY_APPLIED" };
    const decide = (stored: OwnUpdate) => {
      stored.status = "applied";
      return { status: 409, body };
    };
    await open({ sent: [pending], withdrawal: decide });
    confirm(await ask());
    expect((await screen.findAllByText("The update was not withdrawn")).length).toBeGreaterThan(0);
    await waitFor(() => expect(screen.queryByRole("alertdialog")).toBeNull());
    const list = await ownUpdates();
    expect(await list.findByText("Applied")).toBeTruthy();
    expect(list.queryByRole("button", { name: "Withdraw" })).toBeNull();
  });

  it("can be withdrawn in the receipt", async () => {
    await open();
    await choose(/Excavator/);
    type("Meter reading (hours)", "4812.5");
    press("Submit");
    const receipt = await screen.findByRole("group", { name: "Update Submitted" });
    fireEvent.click(await within(receipt).findByRole("button", { name: "Withdraw" }));
    confirm(await screen.findByRole("alertdialog", { name: "Withdraw this update?" }));
    const withdrawn = await screen.findByRole("group", { name: "Withdrawn" });
    expect(within(withdrawn).getByRole("button", { name: "Edit and send again" })).toBeTruthy();
  });

  it("can't be withdrawn with the shared password", async () => {
    const { queryClient } = await open({ sent: [pending] });
    queryClient.setQueryData(["session"], { ...operator, operatorUsername: null });
    const list = await ownUpdates();
    await waitFor(() => expect(list.queryByRole("button", { name: "Withdraw" })).toBeNull());
    expect(list.getByText("Sent, waiting for review")).toBeTruthy();
  });
});
