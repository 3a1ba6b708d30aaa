import { fireEvent, screen, waitFor, within } from "@testing-library/react";
import { beforeEach, describe, expect, it } from "vitest";
import { toast } from "#/shared/toast/store";
import { operator, renderApp, stubRest, type Answer } from "#/test/render-app";
import type { OwnUpdate } from "./offline-data/own-update";
import {
  ago,
  machine,
  operatorServer,
  ownUpdate as update,
  refusal,
  unavailable,
  type Submission,
} from "./operator.fixture";

const fleet = [
  machine("e2", "Backhoe", { meterReading: 9120 }),
  machine("e1", "Excavator", { serialNumber: "0O1I8B2C", meterReading: 4804.1 }),
  machine("e3", "Pickup", { unit: "miles", fuelType: "gasoline", meterReading: 88904 }),
  machine("e4", "Trailer", { unit: "n/a" }),
];

/** The server: `answer` decides about each submission. */
async function open({
  answer = () => undefined,
  sent = [],
  meters = fleet,
}: {
  answer?: (submission: Submission) => Answer | void | Promise<Answer | void>;
  sent?: OwnUpdate[];
  meters?: typeof fleet | Answer;
} = {}) {
  const { routes, received, keys } = operatorServer({
    sent,
    judge: answer,
    ...(Array.isArray(meters) ? { meters } : { list: () => meters }),
  });
  stubRest({
    ...routes,
    "GET /api/auth/user": { status: 200, body: operator },
    "POST /api/auth/logout": { status: 204 },
    "GET /api/logout": { status: 204 },
  });
  const app = await renderApp("/operator");
  await screen.findByRole("heading", { level: 1, name: "Equipment Updates" });
  await screen.findByRole("form", { name: "New update" });
  return { ...app, received, keys };
}

const type = (label: string | RegExp, value: string) =>
  fireEvent.change(screen.getByLabelText(label), { target: { value } });
const typeHours = (value: string) =>
  fireEvent.change(screen.getByRole("textbox", { name: "Hours added" }), { target: { value } });
const press = (name: string | RegExp) => fireEvent.click(screen.getByRole("button", { name }));
const valueOf = (label: string | RegExp) => screen.getByLabelText<HTMLInputElement>(label).value;
/** A number and its unit are held together by a space that does not break. */
const textOf = (element: Element | null) => element?.textContent.replaceAll("\u00a0", " ");
const question = (name: string) => screen.findByRole("dialog", { name });

async function choose(name: RegExp) {
  fireEvent.click(screen.getByLabelText("Equipment"));
  const sheet = await screen.findByRole("dialog", { name: "Choose equipment" });
  const rows = await within(sheet).findAllByRole("button", { name });
  // The stars beside the rows have the name of the machine in theirs.
  const row = rows.find((each) => !each.hasAttribute("aria-label"));
  fireEvent.click(row ?? sheet);
  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
}

beforeEach(() => {
  toast.dismiss();
  // jsdom lays nothing out.
  Element.prototype.scrollIntoView = () => undefined;
});

describe("the form", () => {
  it("tells who is logged in, that nothing is unsent, and chooses nothing by itself", async () => {
    await open({ sent: [update("u1", { newUsage: 4804.1, status: "applied" })] });
    expect(screen.getByText(/Logged in as Operator/).textContent).toContain("maria4821");
    expect(await screen.findByText("Everything is sent.")).toBeTruthy();
    expect(screen.getByText("Search all equipment")).toBeTruthy();
    expect(screen.queryByText(/^Last reading/)).toBeNull();
  });

  it("names each problem beside its field", async () => {
    const { received } = await open();
    press("Submit");
    expect(await screen.findByText("No Equipment Selected")).toBeTruthy();
    expect(screen.getByText("No Information Provided")).toBeTruthy();
    await choose(/Excavator/);
    type("Meter reading (hours)", "many");
    type(/Fuel amount/, "-3");
    press("Submit");
    expect(await screen.findByText("Invalid Usage")).toBeTruthy();
    expect(screen.getByText("Invalid Fuel Amount")).toBeTruthy();
    expect(screen.queryByText("No Equipment Selected")).toBeNull();
    expect(received).toEqual([]);
  });

  it("goes to the first field that has to be changed, and follows what is typed from then on", async () => {
    await open();
    await choose(/Excavator/);
    type(/Fuel amount/, "-3");
    expect(screen.queryByText("Invalid Fuel Amount")).toBeNull();
    press("Submit");
    const fuel = screen.getByLabelText(/Fuel amount/);
    expect(document.activeElement).toBe(fuel);
    expect(fuel.getAttribute("aria-invalid")).toBe("true");
    const described = fuel.getAttribute("aria-describedby") ?? "";
    expect(document.getElementById(described)?.textContent).toContain("Invalid Fuel Amount");
    type(/Fuel amount/, "0");
    expect(screen.queryByText("Invalid Fuel Amount")).toBeNull();
    expect(screen.getByText("No Information Provided")).toBeTruthy();
    press("Submit");
    expect(document.activeElement).toBe(screen.getByLabelText("Meter reading (hours)"));
    type(/Fuel amount/, "3");
    expect(screen.queryByText("No Information Provided")).toBeNull();
    expect(fuel.getAttribute("aria-invalid")).toBeNull();
  });

  it("sends a reading once, says what was kept, and is ready for the next", async () => {
    const { received, keys } = await open();
    await choose(/Excavator/);
    expect(document.activeElement).toBe(screen.getByLabelText("Meter reading (hours)"));
    expect(screen.getByText(/^Last reading 4,804.1 h · yesterday/)).toBeTruthy();
    type("Meter reading (hours)", "4812,5");
    expect(textOf(screen.getByText("+8.4 h").parentElement)).toBe("+8.4 h since yesterday");
    expect(screen.getByLabelText<HTMLInputElement>("Diesel").checked).toBe(true);
    type(/Fuel amount/, "12");
    const submit = screen.getByRole("button", { name: "Submit" });
    fireEvent.click(submit);
    fireEvent.click(submit);
    expect((await screen.findAllByText("Update Submitted")).length).toBeGreaterThan(0);
    expect(received).toHaveLength(1);
    expect(received[0]).toMatchObject({
      equipmentId: "e1",
      newUsage: 4812.5,
      fuelAdded: 12,
      fuelType: "diesel",
    });
    expect(keys).toEqual([received[0]?.clientId]);
    const kept = await screen.findByRole("group", { name: "Saved" });
    expect(textOf(kept)).toContain("Excavator4,812.5 h · 12.0 gal diesel");
    expect(within(kept).getByText("Sent - waiting for review")).toBeTruthy();
    expect(document.activeElement).toBe(kept);
    expect(valueOf("Meter reading")).toBe("");
    // Used just now, it is at hand for the next time, with what was read.
    const atHand = screen.getByRole("list", { name: "Pinned and used recently" });
    expect(textOf(within(atHand).getByRole("button"))).toBe("Excavator4,812.5 h");
  });

  it("takes hours added, and sends the reading they lead to", async () => {
    const { received } = await open();
    await choose(/Excavator/);
    fireEvent.click(screen.getByLabelText("Hours added"));
    typeHours("8,4");
    expect(screen.getByText("4,812.5 h")).toBeTruthy();
    press("Submit");
    await waitFor(() => expect(received[0]?.newUsage).toBe(4812.5));
  });

  it("adds hours to what this person read last, also while that waits for review", async () => {
    const { received } = await open({
      sent: [update("u1", { newUsage: 4810, capturedAt: ago(0.2) })],
    });
    await choose(/Excavator/);
    expect(await screen.findByText(/^Your last reading 4,810 h/)).toBeTruthy();
    fireEvent.click(screen.getByLabelText("Hours added"));
    typeHours("2");
    press("Submit");
    await waitFor(() => expect(received[0]?.newUsage).toBe(4812));
  });

  it("asks for no reading where there is no meter, unless one is wanted", async () => {
    const { received } = await open();
    await choose(/Trailer/);
    expect(screen.queryByLabelText(/reading/i)).toBeNull();
    press("Add a reading");
    expect(screen.getByLabelText("Meter reading", { selector: "[inputmode]" })).toBeTruthy();
    press("Add a note");
    type(/Maintenance notes/, "Flat tire");
    press("Submit");
    await waitFor(() => expect(received[0]?.notes).toBe("Flat tire"));
    expect(received[0]?.newUsage).toBeUndefined();
  });
});

describe("a figure that looks wrong", () => {
  it("below the meter is asked about once, with the digit that may be missing", async () => {
    const { received } = await open();
    await choose(/Excavator/);
    type("Meter reading (hours)", "481.25");
    press("Submit");
    const sheet = await question("Lower than the last reading");
    expect(
      within(sheet).getByText(/You entered 481.25 h. The meter showed 4,804.1 h/),
    ).toBeTruthy();
    expect(received).toEqual([]);
    fireEvent.click(within(sheet).getByRole("button", { name: /Send 4,812.5.h/ }));
    await waitFor(() => expect(received[0]?.newUsage).toBe(4812.5));
  });

  it("goes back with everything kept, and does not ask the same again", async () => {
    const { received } = await open();
    await choose(/Excavator/);
    type("Meter reading (hours)", "12");
    press("Add a note");
    type(/Maintenance notes/, "Belt squeals");
    press("Submit");
    const sheet = await question("Lower than the last reading");
    fireEvent.keyDown(sheet, { key: "Escape" });
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
    expect(valueOf("Meter reading (hours)")).toBe("12");
    expect(valueOf(/Maintenance notes/)).toBe("Belt squeals");
    press("Submit");
    await waitFor(() => expect(received).toHaveLength(1));
    expect(received[0]).toMatchObject({ newUsage: 12, notes: "Belt squeals" });
  });

  it("may be of another machine", async () => {
    const { received } = await open();
    await choose(/Excavator/);
    type("Meter reading (hours)", "9128");
    press("Submit");
    const sheet = await question("Much more than usual");
    expect(within(sheet).getByText(/about 8 h a day is usual/)).toBeTruthy();
    fireEvent.click(within(sheet).getByRole("button", { name: /Send for Backhoe/ }));
    await waitFor(() =>
      expect(received[0]).toMatchObject({ equipmentId: "e2", newUsage: 9128, notes: "" }),
    );
  });

  it("may be of a new meter, and the manager is told", async () => {
    const { received } = await open();
    await choose(/Excavator/);
    type("Meter reading (hours)", "3");
    press("Submit");
    const sheet = await question("Lower than the last reading");
    fireEvent.click(within(sheet).getByRole("button", { name: /notify the manager/ }));
    await waitFor(() =>
      expect(received[0]).toMatchObject({ newUsage: 3, notes: "Meter replaced" }),
    );
  });

  it("may be sent as it is; each doubt is answered for itself", async () => {
    const { received } = await open();
    await choose(/Excavator/);
    type("Meter reading (hours)", "48125");
    type(/Fuel amount/, "385");
    press("Submit");
    const sheet = await question("Much more than usual");
    expect(within(sheet).getByText(/About 40.0 gal is usual/)).toBeTruthy();
    fireEvent.click(within(sheet).getByRole("button", { name: /Send 4,812.5.h/ }));
    const second = await question("More fuel than usual");
    expect(received).toEqual([]);
    fireEvent.click(within(second).getByRole("button", { name: "Send as is" }));
    await waitFor(() => expect(received[0]).toMatchObject({ newUsage: 4812.5, fuelAdded: 385 }));
  });

  it("repeated is not sent twice unless that is wanted", async () => {
    const { received } = await open();
    await choose(/Excavator/);
    type("Meter reading (hours)", "4812.5");
    press("Submit");
    await screen.findByRole("group", { name: "Saved" });
    await choose(/Excavator/);
    expect(screen.queryByRole("group", { name: "Saved" })).toBeNull();
    type("Meter reading (hours)", "4812.5");
    press("Submit");
    const sheet = await question("You reported this already");
    fireEvent.click(within(sheet).getByRole("button", { name: /Don't send it again/ }));
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
    expect(received).toHaveLength(1);
    expect(valueOf("Meter reading")).toBe("");
  });
});

describe("what is not sent yet", () => {
  it("is kept without a connection, and sent when asked again", async () => {
    let reachable = false;
    const { received } = await open({
      answer: () => {
        if (!reachable) return unavailable;
      },
    });
    await choose(/Excavator/);
    type("Meter reading (hours)", "4812.5");
    press("Submit");
    // Here the browser keeps nothing, and nobody is told that it does.
    expect((await screen.findAllByText("Not saved on this device")).length).toBeGreaterThan(0);
    expect(screen.queryByText("Update saved")).toBeNull();
    expect(screen.getByRole("group", { name: "Not saved on this device" })).toBeTruthy();
    expect(screen.getByText("1 update is not sent yet")).toBeTruthy();
    expect(screen.getAllByText("On phone").length).toBeGreaterThan(0);
    reachable = true;
    press("Send now");
    expect(await screen.findByText("Everything is sent.")).toBeTruthy();
    expect(new Set(received.map((request) => request.clientId)).size).toBe(1);
  });

  it("is kept with the server's reason when refused, for correction", async () => {
    const { received } = await open({
      answer: (request) => {
        if (request.newUsage === 4811) return refusal("Not possible.");
      },
    });
    await choose(/Excavator/);
    type("Meter reading (hours)", "4811");
    press("Submit");
    expect((await screen.findAllByText("Update Failed")).length).toBeGreaterThan(0);
    expect(await screen.findByText("1 update was not accepted")).toBeTruthy();
    expect(screen.getByText(/You are correcting an update/).textContent).toContain("Not possible.");
    expect(valueOf("Meter reading (hours)")).toBe("4811");
    type("Meter reading (hours)", "4812");
    press("Submit");
    expect(await screen.findByText("Everything is sent.")).toBeTruthy();
    expect(received.map((request) => request.newUsage)).toEqual([4811, 4812]);
    expect(screen.queryByText("Not accepted")).toBeNull();
  });

  it("is asked about before logging out", async () => {
    const { queryClient } = await open({
      answer: () => {
        return unavailable;
      },
    });
    await choose(/Excavator/);
    type("Meter reading (hours)", "4812.5");
    press("Submit");
    await screen.findByText("1 update is not sent yet");
    fireEvent.click(screen.getAllByRole("button", { name: "Logout" })[0] ?? document.body);
    const asked = await screen.findByRole("alertdialog", { name: "Sign out with unsent updates?" });
    fireEvent.click(within(asked).getByRole("button", { name: "Cancel" }));
    await waitFor(() => expect(screen.queryByRole("alertdialog")).toBeNull());
    expect(queryClient.getQueryData(["session"])).toMatchObject({ id: operator.id });
    fireEvent.click(screen.getAllByRole("button", { name: "Logout" })[0] ?? document.body);
    fireEvent.click(await screen.findByRole("button", { name: "Sign out anyway" }));
    await waitFor(() => expect(queryClient.getQueryData(["session"])).toBeNull());
  });
});

describe("the picker", () => {
  it("finds by serial number, and says when nothing matches", async () => {
    await open();
    fireEvent.click(screen.getByLabelText("Equipment"));
    const search = await screen.findByLabelText("Search equipment");
    fireEvent.change(search, { target: { value: "0o1i" } });
    expect(screen.getAllByRole("button", { name: /^Excavator/ })).toHaveLength(1);
    expect(screen.queryByRole("button", { name: /^Pickup/ })).toBeNull();
    fireEvent.change(search, { target: { value: "crane" } });
    expect(screen.getByText("No equipment found")).toBeTruthy();
    fireEvent.click(screen.getByRole("button", { name: "Clear search" }));
    expect(screen.getByRole("button", { name: /^Pickup/ })).toBeTruthy();
  });

  it("pins a machine, which is then one press away", async () => {
    await open();
    fireEvent.click(screen.getByLabelText("Equipment"));
    fireEvent.click(await screen.findByRole("button", { name: "Pin Pickup on top" }));
    fireEvent.keyDown(screen.getByRole("dialog"), { key: "Escape" });
    const atHand = await screen.findByRole("list", { name: "Pinned and used recently" });
    fireEvent.click(await within(atHand).findByRole("button", { name: /Pickup/ }));
    expect(screen.getByLabelText("Meter reading (miles)")).toBeTruthy();
    expect(screen.getByLabelText<HTMLInputElement>("Gas").checked).toBe(true);
    const pin = screen.getByRole("button", { name: "Pin Pickup on top" });
    expect(pin.getAttribute("aria-pressed")).toBe("true");
    fireEvent.click(pin);
    await waitFor(() => expect(pin.getAttribute("aria-pressed")).toBe("false"));
  });

  it("tells that there is nothing yet, or that it could not be loaded", async () => {
    await open({ meters: [] });
    fireEvent.click(screen.getByLabelText("Equipment"));
    expect(await screen.findByText("No equipment yet")).toBeTruthy();
  });

  it("offers to try again", async () => {
    await open({ meters: unavailable });
    expect(await screen.findByText("The server is not responding.")).toBeTruthy();
    fireEvent.click(screen.getByLabelText("Equipment"));
    const sheet = await screen.findByRole("dialog", { name: "Choose equipment" });
    expect(await within(sheet).findByRole("button", { name: "Try again" })).toBeTruthy();
  });
});

describe("own updates", () => {
  const rejected = update("r1", {
    newUsage: 48125,
    status: "rejected",
    rejectReason: "One digit too many",
    reviewedAt: ago(0.1),
  });

  it("are grouped by day, newest first, with their outcome", async () => {
    await open({
      sent: [
        update("u1", { newUsage: 4804, status: "applied", capturedAt: ago(1) }),
        update("u2", { notes: "Oil leak", capturedAt: new Date() }),
        update("u3", { newUsage: 4790, status: "recent", capturedAt: ago(2) }),
      ],
    });
    const list = await screen.findByRole("region", { name: "Your updates" });
    await within(list).findByText("Today");
    const titles = within(list).getAllByRole("heading", { level: 3 });
    expect(titles.map((title) => title.textContent).slice(0, 2)).toEqual(["Today", "Yesterday"]);
    const states = within(list).getAllByText(/^(Sent - waiting|Applied)/);
    expect(states.map((state) => state.textContent)).toEqual([
      "Sent - waiting for review",
      "Applied",
      "Applied automatically",
    ]);
  });

  it("are shown some at a time", async () => {
    const many = Array.from({ length: 40 }, (_, index) =>
      update(`u${index}`, { notes: `Note ${index}`, capturedAt: ago(index / 10) }),
    );
    await open({ sent: many });
    const list = await screen.findByRole("region", { name: "Your updates" });
    await within(list).findByText("Note 0");
    expect(within(list).getAllByText(/^Note/)).toHaveLength(15);
    press("Show more");
    expect(within(list).getAllByText(/^Note/)).toHaveLength(40);
    expect(screen.queryByRole("button", { name: "Show more" })).toBeNull();
  });

  it("that were rejected are told on top, until that has been seen", async () => {
    await open({ sent: [rejected] });
    const message = await screen.findByRole("region", { name: "Rejected" });
    expect(textOf(message)).toContain("Rejected: Excavator, 48,125 h – One digit too many");
    fireEvent.click(within(message).getByRole("button", { name: "Got it" }));
    await waitFor(() => expect(screen.queryByRole("region", { name: "Rejected" })).toBeNull());
    expect(screen.getByText("Reason: One digit too many")).toBeTruthy();
  });

  it("that were rejected can be sent corrected, read then or now", async () => {
    const { received } = await open({ sent: [rejected] });
    const message = await screen.findByRole("region", { name: "Rejected" });
    fireEvent.click(within(message).getByRole("button", { name: "Send a correction" }));
    await screen.findByLabelText("Meter reading (hours)");
    expect(valueOf("Meter reading (hours)")).toBe("48125");
    type("Meter reading (hours)", "4812.5");
    fireEvent.click(screen.getByLabelText("Just now"));
    press("Submit");
    await waitFor(() => expect(received).toHaveLength(1));
    expect(received[0]?.newUsage).toBe(4812.5);
    const read = Date.parse(received[0]?.capturedAt ?? "");
    expect(Date.now() - read).toBeLessThan(60_000);
    await waitFor(() => expect(screen.queryByRole("region", { name: "Rejected" })).toBeNull());
    // The row says so too, and asks for nothing any more.
    const list = screen.getByRole("region", { name: "Your updates" });
    expect(within(list).getByText("You sent a correction.")).toBeTruthy();
    expect(within(list).queryByRole("button", { name: "Send a correction" })).toBeNull();
    expect(within(list).getByRole("button", { name: "Correct it again" })).toBeTruthy();
  });

  const older = update("r2", {
    newUsage: 4799,
    status: "rejected",
    rejectReason: "Wrong machine",
    reviewedAt: ago(0.2),
  });

  it("that were rejected are answered one by one", async () => {
    const { received } = await open({ sent: [rejected, older] });
    let message = await screen.findByRole("region", { name: "Rejected" });
    expect(textOf(message)).toContain("1 more was rejected: see the list below.");
    fireEvent.click(within(message).getByRole("button", { name: "Send a correction" }));
    await screen.findByLabelText("Meter reading (hours)");
    type("Meter reading (hours)", "4812.5");
    press("Submit");
    await waitFor(() => expect(received).toHaveLength(1));
    message = await screen.findByRole("region", { name: "Rejected" });
    expect(textOf(message)).toContain("Excavator, 4,799 h – Wrong machine");
    expect(textOf(message)).not.toContain("more was rejected");
    const list = screen.getByRole("region", { name: "Your updates" });
    expect(within(list).getAllByText("You sent a correction.")).toHaveLength(1);
    expect(within(list).getAllByRole("button", { name: "Send a correction" })).toHaveLength(1);
  });

  it("of several rejected ones only the one shown has been seen", async () => {
    await open({ sent: [rejected, older] });
    const message = await screen.findByRole("region", { name: "Rejected" });
    fireEvent.click(within(message).getByRole("button", { name: "Got it" }));
    await waitFor(() =>
      expect(textOf(screen.getByRole("region", { name: "Rejected" }))).toContain("Wrong machine"),
    );
  });

  it("a corrected one that the server refused still answers the rejected one", async () => {
    let refusals = 1;
    await open({
      sent: [rejected],
      answer: () => {
        refusals -= 1;
        if (refusals >= 0) return refusal("Wrong figures");
      },
    });
    const message = await screen.findByRole("region", { name: "Rejected" });
    fireEvent.click(within(message).getByRole("button", { name: "Send a correction" }));
    await screen.findByLabelText("Meter reading (hours)");
    type("Meter reading (hours)", "4812.5");
    press("Submit");
    await screen.findAllByText(/Wrong figures/);
    type("Meter reading (hours)", "4812");
    press("Submit");
    await waitFor(() => expect(screen.getByText("You sent a correction.")).toBeTruthy());
    expect(screen.queryByRole("region", { name: "Rejected" })).toBeNull();
  });
});

it("a correction stays open when an earlier submit ends", async () => {
  let finish: () => void = () => undefined;
  const { received } = await open({
    sent: [update("r1", { newUsage: 48125, status: "rejected", reviewedAt: ago(0.1) })],
    answer: () => new Promise<void>((resolve) => (finish = resolve)),
  });
  await choose(/Backhoe/);
  type("Meter reading (hours)", "9125");
  press("Submit");
  await waitFor(() => expect(received).toHaveLength(1));
  const message = await screen.findByRole("region", { name: "Rejected" });
  fireEvent.click(within(message).getByRole("button", { name: "Send a correction" }));
  await screen.findByLabelText("Meter reading (hours)");
  type("Meter reading (hours)", "4812");
  finish();
  await screen.findAllByText("Update Submitted");
  await screen.findByText("Everything is sent.");
  expect(valueOf("Meter reading (hours)")).toBe("4812");
});

it("an update that the server always fails over can be changed or let go", async () => {
  await open({
    answer: () => {
      return { status: 500, body: { message: "broken" } };
    },
  });
  await choose(/Excavator/);
  type("Meter reading (hours)", "4812.5");
  press("Submit");
  await screen.findByText("1 update is not sent yet");
  expect(screen.queryByRole("button", { name: "Discard" })).toBeNull();
  press("Send now");
  fireEvent.click(await screen.findByRole("button", { name: "Send now" }));
  fireEvent.click(await screen.findByRole("button", { name: "Discard" }));
  const asked = await screen.findByRole("alertdialog");
  expect(asked.textContent).toContain("may already have it");
  fireEvent.click(within(asked).getByRole("button", { name: "Discard" }));
  expect(await screen.findByText("Everything is sent.")).toBeTruthy();
});

it("a logout in another tab ends this one too", async () => {
  const { queryClient, router } = await open();
  const otherTab = new BroadcastChannel("hourmeter-session");
  otherTab.postMessage("somebody else");
  otherTab.postMessage(operator.id);
  await waitFor(() => expect(router.state.location.pathname).toBe("/employee-login"));
  expect(queryClient.getQueryData(["session"])).toBeNull();
  otherTab.close();
});
