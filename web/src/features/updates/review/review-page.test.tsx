import { BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import { Code, ConnectError } from "@connectrpc/connect";
import { useQueryClient } from "@tanstack/react-query";
import { act, fireEvent, screen, waitFor, within } from "@testing-library/react";
import { beforeEach, describe, expect, it } from "vitest";
import { MeterChange } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { UpdateStatus } from "#/api/gen/hourmeter/operator_updates/v1/operator_updates_pb";
import { toast } from "#/shared/toast/store";
import { at, below, open as openPart, pickup, update } from "../updates.fixture";
import { ReviewPage } from "./review-page";

type Updates = Parameters<typeof openPart>[1];
const open = async (updates: Updates, options: Parameters<typeof openPart>[2] = {}) => {
  const calls = await openPart(<ReviewPage />, updates, options);
  if (updates.length > 0 && !options.gate) await row(updates[0]?.id ?? "");
  return calls;
};

/** An external event refetches the list. */
function Refetch() {
  const client = useQueryClient();
  return <button onClick={() => void client.invalidateQueries()}>Refetch</button>;
}

/** The row of an update. */
const row = (id: string) =>
  waitFor(() => {
    const found = document.getElementById(`update-${id}`);
    if (!found) throw new Error(`no row ${id}`);
    return found;
  });
const gone = (id: string) =>
  waitFor(() => expect(document.getElementById(`update-${id}`)).toBeNull());
const press = async (id: string, name: string) =>
  fireEvent.click(within(await row(id)).getByRole("button", { name }));
const key = (name: string, more: object = {}) =>
  fireEvent.keyDown(document.activeElement ?? document.body, { key: name, ...more });
const focus = async (id: string) => {
  const found = await row(id);
  act(() => found.focus());
};
const choose = async (id: string, name: string) => {
  fireEvent.click(within(await row(id)).getByRole("button", { name: /^More actions for/ }));
  fireEvent.click(await screen.findByRole("menuitem", { name }));
};

beforeEach(() => toast.dismiss());

describe("what is shown", () => {
  it("groups by machine, flagged ones first, each with its meter", async () => {
    await open([
      update("a", { equipmentId: "e3", equipmentName: "Roller" }),
      update("b", { capturedAt: at("2026-11-21T10:00:00Z") }),
      update("c", { newUsage: 4806, capturedAt: at("2026-11-21T08:00:00Z") }),
      update("d", below),
    ]);
    await screen.findByText(/Shows 88,904 miles · last read/);
    expect(
      screen.getAllByRole("heading", { level: 2 }).map((heading) => heading.textContent),
    ).toEqual(["Pickup", "Excavator", "Roller"]);
    expect(screen.getByText(/Shows 0 hours · never read/)).toBeTruthy();
    const ids = [...document.querySelectorAll("[id^=update-][role=row]")].map(({ id }) => id);
    expect(ids).toEqual(["update-d", "update-c", "update-b", "update-a"]);
    expect(screen.getByText("4 updates waiting · 1 needs attention")).toBeTruthy();
    expect(screen.getByRole("link", { name: "Pickup" }).getAttribute("href")).toBe(
      "/equipment/item/e2",
    );
  });

  it.each([
    [below, "810 mi below the meter (88,904)"],
    [
      { flags: ["jump"], newUsage: 5116.1, capturedAt: at("2026-11-21T06:00:00Z") },
      "312 h in one day; usually 8 h a day",
    ],
    [
      { flags: ["jump"], newUsage: 5116.1, capturedAt: at("2026-11-23T12:00:00Z") },
      "312 h in 3 days; usually 8 h a day",
    ],
    [{ ...pickup, flags: ["jump"], newUsage: 90904 }, "2,000 mi in one day, more than is possible"],
    [{ flags: ["fuel_high"], fuelAdded: 96 }, "96.0 gal; a usual fill is 30.0 gal"],
    [
      { ...pickup, newUsage: 88905, flags: ["fuel_high"], fuelAdded: 400 },
      "400.0 gal in one fill; more than most tanks hold",
    ],
    [{ flags: ["repeated"] }, "Same figures sent twice within 10 minutes"],
    [
      { late: true, fuelAdded: 3 },
      "Captured before the last reading: only fuel and notes will be recorded; the meter doesn't change",
    ],
    [
      { fuelAdded: 3, capturedAt: at("2026-11-20T11:59:59Z") },
      "Captured before the last reading: only fuel and notes will be recorded; the meter doesn't change",
    ],
    [{ flags: ["refused"] }, "Couldn't be applied automatically"],
    [{ flags: ["unheard_of"] }, "Needs attention"],
    [
      { ...pickup, flags: ["jump"], newUsage: 90904.4 },
      "2,000.4 mi in one day, more than is possible",
    ],
    [{ late: true }, "Captured before the last reading: the meter doesn't change"],
    [{ reportedEquipmentName: "Loader" }, "Reported for Loader"],
  ])("describes a flag: %#", async (more, text) => {
    await open([update("a", more)]);
    expect(await screen.findByText(text)).toBeTruthy();
  });

  it("shows when an update was received later than captured", async () => {
    await open([
      update("a", { createdAt: at("2026-11-21T15:00:00Z") }),
      update("b", { createdAt: at("2026-11-21T12:09:00Z") }),
    ]);
    expect((await row("a")).textContent).toContain("received Nov 21");
    expect((await row("b")).textContent).not.toContain("received");
  });

  it("has an empty state", async () => {
    await open([]);
    expect(await screen.findByText("Nothing to review")).toBeTruthy();
  });

  it("shows how many of all are listed", async () => {
    await open(
      ["a", "b", "c"].map((id) => update(id)),
      { answers: 2 },
    );
    expect(await screen.findByText("2 of 3 shown. The rest appear as you decide.")).toBeTruthy();
  });

  it("offers another try when the list could not be loaded", async () => {
    let fails = true;
    await open([update("a")], {
      gate: () =>
        fails ? Promise.reject(new ConnectError("no", Code.Unauthenticated)) : Promise.resolve(),
    });
    fireEvent.click(await screen.findByRole("button", { name: "Try again" }));
    fails = false;
    fireEvent.click(await screen.findByRole("button", { name: "Try again" }));
    expect(await row("a")).toBeTruthy();
  });

  it("is read-only without a subscription, and explains why", async () => {
    const calls = await open([update("a")], { active: false });
    await screen.findByText(
      /Your subscription is not active, so you can't apply or reject updates now/,
    );
    await press("a", "Apply");
    const button = within(await row("a")).getByRole("button", { name: "Apply" });
    expect(button.getAttribute("aria-disabled")).toBe("true");
    await focus("a");
    key("a");
    await screen.findAllByText(/You can still read and export everything/);
    expect(calls).toEqual([]);
  });
});

describe("one by one", () => {
  it("removes a row after the server's response, not before", async () => {
    const calls = await open([update("a"), update("b")]);
    await press("a", "Apply");
    await gone("a");
    await row("b");
    expect(calls).toEqual([["apply", "a", null]]);
    expect(screen.getByText("1 update waiting")).toBeTruthy();
  });

  it("corrects a value in place", async () => {
    const calls = await open([update("a", { flags: ["jump"], newUsage: 48125 })]);
    await press("a", "Correct the value");
    const field = await screen.findByLabelText<HTMLInputElement>(
      "Correct reading of Excavator (hours)",
    );
    expect(field.value).toBe("48125");
    expect(document.activeElement).toBe(field);
    fireEvent.change(field, { target: { value: "4812,555" } });
    fireEvent.submit(field);
    await screen.findByText(/Enter the reading as a number of 0 or more/);
    fireEvent.change(field, { target: { value: "4,812.5" } });
    expect(screen.getByText("Sets the meter to this value: +8.4 h")).toBeTruthy();
    fireEvent.submit(field);
    await gone("a");
    expect(calls).toEqual([["apply", "a", 4812.5]]);
  });

  it("cancels a correction by Escape, with the focus on the row", async () => {
    await open([update("a")]);
    await choose("a", "Correct the value");
    const field = await screen.findByLabelText(/Correct reading/);
    fireEvent.keyDown(field, { key: "Escape" });
    await waitFor(() => expect(screen.queryByLabelText(/Correct reading/)).toBeNull());
    expect(document.activeElement).toBe(await row("a"));
  });

  it("moves it to the right machine, after a preview", async () => {
    const calls = await open([update("b", { ...below, newUsage: 4812.5 })]);
    await press("b", "Other machine");
    const dialog = within(await screen.findByRole("dialog", { name: "Which machine was it?" }));
    expect(dialog.getByText(/Maria Lopez reported 4,812.5 miles for Pickup/)).toBeTruthy();
    const fits = await dialog.findByRole("group", { name: "The reading fits these" });
    expect(within(fits).getAllByRole("radio")).toHaveLength(1);
    const others = dialog.getByRole("group", { name: "All equipment" });
    expect(within(others).getByRole("radio", { name: /Roller/ })).toBeTruthy();
    expect(dialog.queryByRole("radio", { name: /Pickup/ })).toBeNull();
    fireEvent.click(dialog.getByRole("button", { name: "Move and apply" }));
    fireEvent.click(within(fits).getByRole("radio", { name: /Excavator/ }));
    expect(
      dialog.getByText(/It moves to Excavator \(shows 4,804.1 hours, \+8.4 h\) and is applied/),
    ).toBeTruthy();
    expect(dialog.getByText("Excavator is measured in hours.")).toBeTruthy();
    fireEvent.click(dialog.getByRole("button", { name: "Move and apply" }));
    await gone("b");
    expect(calls).toEqual([["move", "b", "e1"]]);
    await screen.findAllByText("Update applied");
  });

  it("finds a machine by name, and keeps an update waiting that is unusual there too", async () => {
    await open([update("a")], { moveWaits: true });
    await choose("a", "Other machine");
    const dialog = within(await screen.findByRole("dialog"));
    await dialog.findByRole("radio", { name: /Roller/ });
    const search = dialog.getByRole("searchbox");
    fireEvent.change(search, { target: { value: "nothing" } });
    expect(dialog.getByText("No equipment matches “nothing”")).toBeTruthy();
    fireEvent.change(search, { target: { value: "pick" } });
    fireEvent.click(dialog.getByRole("radio", { name: /Pickup/ }));
    fireEvent.click(dialog.getByRole("button", { name: "Move and apply" }));
    await screen.findAllByText("Update moved");
    await waitFor(() => expect(screen.queryByRole("heading", { name: "Excavator" })).toBeNull());
    await waitFor(async () =>
      expect((await row("a")).textContent).toContain("Reported for Excavator"),
    );
  });

  it("ends one meter and starts the next, with a preview", async () => {
    const calls = await open([update("b", { ...below, newUsage: 12 })]);
    await press("b", "Meter replaced");
    const dialog = within(await screen.findByRole("dialog", { name: "The meter was replaced" }));
    const final = dialog.getByLabelText<HTMLInputElement>("Last reading of the old meter");
    const start = dialog.getByLabelText("The new meter started at");
    expect(final.value).toBe("88904");
    expect(dialog.getByText(/98,916 miles/)).toBeTruthy();
    const submit = dialog.getByRole("button", { name: "Apply with the new meter" });
    fireEvent.change(final, { target: { value: "88000" } });
    fireEvent.click(submit);
    await dialog.findByText("The old meter already showed 88,904 miles.");
    fireEvent.change(final, { target: { value: "88910" } });
    fireEvent.change(start, { target: { value: "13" } });
    fireEvent.click(submit);
    await dialog.findByText(/can't have started above the reading, 12 miles/);
    fireEvent.change(start, { target: { value: "5" } });
    expect(dialog.getByText(/98,917 miles/)).toBeTruthy();
    fireEvent.click(submit);
    await gone("b");
    expect(calls).toEqual([
      ["apply", "b", null],
      ["meter", MeterChange.REPLACED, 88910, 5],
    ]);
  });

  it("continues life-to-date usage after a rollover", async () => {
    const calls = await open([update("b", { ...below, newUsage: 20 })]);
    await choose("b", "Meter rolled over");
    const dialog = within(await screen.findByRole("dialog", { name: "The meter rolled over" }));
    expect(dialog.getByLabelText<HTMLInputElement>("Rolled over at").value).toBe("100000");
    expect(dialog.queryByLabelText("The new meter started at")).toBeNull();
    expect(dialog.getByText(/110,020 miles/)).toBeTruthy();
    fireEvent.click(dialog.getByRole("button", { name: "Apply with the new meter" }));
    await gone("b");
    expect(calls.at(-1)).toEqual(["meter", MeterChange.ROLLED_OVER, 100000, 0]);
  });

  it("rejects with a suggested or a typed reason", async () => {
    const calls = await open([update("a"), update("b")]);
    await press("a", "Reject");
    let dialog = within(await screen.findByRole("dialog", { name: "Reject this update?" }));
    fireEvent.click(dialog.getByRole("button", { name: "Duplicate" }));
    expect(dialog.getByLabelText<HTMLTextAreaElement>(/^Reason/).value).toBe("Duplicate");
    fireEvent.click(dialog.getByRole("button", { name: "Reject" }));
    await gone("a");
    await press("b", "Reject");
    dialog = within(await screen.findByRole("dialog"));
    fireEvent.change(dialog.getByLabelText(/^Reason/), { target: { value: " Typo " } });
    fireEvent.click(dialog.getByRole("button", { name: "Reject" }));
    await screen.findByText("Nothing to review");
    expect(calls).toEqual([
      ["reject", "a", "Duplicate"],
      ["reject", "b", "Typo"],
    ]);
  });

  it("offers neither a correction nor a new meter for a late update", async () => {
    await open([update("a", { late: true }), update("b", { ...pickup, fuelAdded: 9 })]);
    const names = async (id: string) => {
      fireEvent.click(within(await row(id)).getByRole("button", { name: /^More actions for/ }));
      const items = (await screen.findAllByRole("menuitem")).map((item) => item.textContent);
      fireEvent.keyDown(screen.getByRole("menu"), { key: "Escape" });
      await waitFor(() => expect(screen.queryByRole("menu")).toBeNull());
      return items;
    };
    expect(await names("a")).toEqual(["Other machine"]);
    expect(await names("b")).toContain("Meter replaced");
  });

  it("records only fuel and notes of an update captured before the meter was last read", async () => {
    const late = { capturedAt: at("2026-11-20T11:59:59Z"), fuelAdded: 5 };
    const calls = await open([update("a", { ...below, ...late }), update("b", late)]);
    await screen.findAllByText(/Captured before the last reading/);
    const first = within(await row("a"));
    expect(first.queryByText(/below the meter/)).toBeNull();
    expect(first.queryByRole("button", { name: "Accept as is" })).toBeNull();
    expect(first.queryByRole("button", { name: "Correct the value" })).toBeNull();
    expect(first.getByRole("checkbox")).toBeTruthy();
    fireEvent.click(first.getByRole("button", { name: /^More actions for/ }));
    const items = (await screen.findAllByRole("menuitem")).map((item) => item.textContent);
    expect(items).toEqual(["Other machine"]);
    fireEvent.keyDown(screen.getByRole("menu"), { key: "Escape" });
    await waitFor(() => expect(screen.queryByRole("menu")).toBeNull());
    await press("a", "Apply");
    await gone("a");
    expect(calls).toEqual([["apply", "a", null]]);
    await screen.findAllByText(/The meter didn't change; it has a newer reading/);
  });

  it("does not mention the meter if it changed", async () => {
    await open([update("a")]);
    await press("a", "Apply");
    await gone("a");
    expect(screen.queryByText(/The meter didn't change/)).toBeNull();
  });

  it("requires a reason to reject", async () => {
    const calls = await open([update("a")]);
    await press("a", "Reject");
    const dialog = within(await screen.findByRole("dialog", { name: "Reject this update?" }));
    fireEvent.change(dialog.getByLabelText(/^Reason/), { target: { value: "  " } });
    fireEvent.click(dialog.getByRole("button", { name: "Reject" }));
    await dialog.findByText("Enter or choose a reason. The operator sees it.");
    fireEvent.click(dialog.getByRole("button", { name: "Wrong machine" }));
    await waitFor(() => expect(dialog.queryByText(/Enter or choose a reason/)).toBeNull());
    fireEvent.click(dialog.getByRole("button", { name: "Reject" }));
    await gone("a");
    expect(calls).toEqual([["reject", "a", "Wrong machine"]]);
  });

  it("does not call a machine removed while it is still loading", async () => {
    let letGo: () => void = () => undefined;
    await open([update("a"), update("b", pickup), update("x", { equipmentId: "sold" })], {
      moveWaits: true,
      gateEquipment: (ids) =>
        ids.includes("e3")
          ? new Promise<void>((resolve) => {
              letGo = resolve;
            })
          : Promise.resolve(),
    });
    await screen.findByText("No longer in your equipment");
    await choose("a", "Other machine");
    const dialog = within(await screen.findByRole("dialog"));
    fireEvent.click(await dialog.findByRole("radio", { name: /Roller/ }));
    fireEvent.click(dialog.getByRole("button", { name: "Move and apply" }));
    await screen.findByRole("heading", { name: "Roller" });
    expect(screen.queryAllByText("No longer in your equipment").length).toBeLessThan(2);
    letGo();
    await screen.findByText(/Shows 0 hours · never read/);
    await screen.findByText("No longer in your equipment");
  });

  it("keeps a row with the reason if its reading is now below the meter, and can accept it", async () => {
    const failApply = new ConnectError("below", Code.FailedPrecondition);
    // google.rpc.ErrorInfo: reason is field 1.
    const value = new BinaryWriter().tag(1, WireType.LengthDelimited).string("BELOW_CURRENT");
    failApply.details = [{ type: "google.rpc.ErrorInfo", value: value.finish() }];
    const calls = await open([update("a")], { failApply });
    await press("a", "Apply");
    expect((await screen.findByRole("alert")).textContent).toContain("now below the meter");
    await press("a", "Accept as is");
    await waitFor(() => expect(calls.at(-1)).toEqual(["apply", "a", 4812.5]));
  });
});

describe("a list that changes while someone works on it", () => {
  const taken = (updates: Updates, id: string) => {
    const found = updates.find((each) => each.id === id);
    if (found) found.status = UpdateStatus.REJECTED;
  };
  const openLive = (updates: Updates, options: Parameters<typeof openPart>[2] = {}) =>
    openPart(
      <>
        <ReviewPage />
        <Refetch />
      </>,
      updates,
      options,
    );
  const refetch = () => fireEvent.click(screen.getByText("Refetch"));
  const isThere = (id: string) => document.getElementById(`update-${id}`) !== null;

  it("removes a machine's heading with its last row", async () => {
    await open([update("a"), update("b", pickup)]);
    await press("a", "Apply");
    await waitFor(async () => expect((await row("a")).hasAttribute("inert")).toBe(true));
    expect(screen.queryByRole("heading", { name: "Excavator" })).toBeNull();
    await gone("a");
  });

  it("keeps rows in place from press to click", async () => {
    const updates = [update("a"), update("b", pickup), update("c", { equipmentId: "e3" })];
    await openLive(updates);
    const button = within(await row("b")).getByRole("button", { name: /^More actions for/ });
    fireEvent.pointerDown(button);
    taken(updates, "a");
    updates.push(update("n", { flags: ["jump"] }));
    refetch();
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect((await row("a")).hasAttribute("inert")).toBe(false);
    expect(isThere("n")).toBe(false);
    fireEvent.pointerUp(button);
    fireEvent.click(button);
    fireEvent.click(await screen.findByRole("menuitem", { name: "Meter replaced" }));
    await screen.findByRole("dialog", { name: "The meter was replaced" });
    await gone("a");
    expect(isThere("n")).toBe(true);
  });

  it("holds rows for at most a second during a press without release", async () => {
    const updates = [update("a"), update("b")];
    await openLive(updates);
    fireEvent.pointerDown(await row("b"));
    taken(updates, "a");
    refetch();
    await gone("a");
    expect(isThere("b")).toBe(true);
  });

  it("keeps a menu open when rows are added before it", async () => {
    const updates = [update("a"), update("b", pickup)];
    await openLive(updates);
    fireEvent.click(within(await row("b")).getByRole("button", { name: /^More actions for/ }));
    const item = await screen.findByRole("menuitem", { name: "Meter replaced" });
    for (let i = 0; i < 40; i++) updates.push(update(`n${i}`, { flags: ["jump"] }));
    refetch();
    await row("n39");
    expect(item.isConnected).toBe(true);
    fireEvent.click(item);
    await screen.findByRole("dialog", { name: "The meter was replaced" });
  });

  it("keeps a dialog open when someone else decides its update", async () => {
    const updates = [update("a")];
    await openLive(updates, { failApply: new ConnectError("It was decided.", Code.Aborted) });
    await choose("a", "Meter replaced");
    const dialog = within(await screen.findByRole("dialog"));
    const final = dialog.getByLabelText<HTMLInputElement>("Last reading of the old meter");
    fireEvent.change(final, { target: { value: "4810" } });
    taken(updates, "a");
    refetch();
    await screen.findByText("Nothing to review");
    expect(final.isConnected && final.value).toBe("4810");
    fireEvent.click(dialog.getByRole("button", { name: "Apply with the new meter" }));
    await dialog.findByText("It was decided.");
  });

  it("moves the focus to the title after the last row", async () => {
    await open([update("a")]);
    await focus("a");
    key("a");
    await screen.findByText("Nothing to review");
    await waitFor(() =>
      expect(document.activeElement).toBe(screen.getByRole("heading", { level: 1 })),
    );
  });
});

describe("bulk apply", () => {
  it("applies the selected updates and shows failures by row", async () => {
    const calls = await open([update("good"), update("bad", pickup), update("below", below)], {
      refuse: ["bad"],
    });
    fireEvent.click(screen.getByLabelText("Select all"));
    fireEvent.click(screen.getByRole("button", { name: "Apply selected" }));
    expect((await screen.findByRole("alert")).textContent).toContain("It was retired.");
    expect(calls).toEqual([["applyMany", "bad", "good"]]);
    expect(screen.getByText("1 could not be applied and stays here with its reason.")).toBeTruthy();
    await gone("good");
    const summary = screen.getByText("1 update applied").closest<HTMLElement>("[role=status]");
    if (!summary) throw new Error("no summary");
    fireEvent.click(within(summary).getByRole("button", { name: "Dismiss" }));
    expect(summary.isConnected).toBe(false);
  });

  it("selects a range with Shift, and a machine by its header", async () => {
    await open(["a", "b", "c", "d"].map((id) => update(id)));
    const box = async (id: string) => within(await row(id)).getByRole("checkbox");
    fireEvent.click(await box("a"));
    fireEvent.click(await box("c"), { shiftKey: true });
    expect(screen.getByText("3 selected")).toBeTruthy();
    fireEvent.click(screen.getByLabelText("Select all updates for Excavator"));
    expect(screen.getByText("4 selected")).toBeTruthy();
  });

  it("applies all unflagged updates after one confirmation, until none is left", async () => {
    const ids = Array.from({ length: 12 }, (_, index) => `u${index}`);
    const calls = await open(
      [update("flag", { flags: ["jump"] }), ...ids.map((id) => update(id))],
      {
        answers: 8,
      },
    );
    fireEvent.click(screen.getByRole("button", { name: "Apply all unflagged (12)" }));
    const dialog = within(await screen.findByRole("alertdialog"));
    expect(dialog.getByText(/voided in the machine's history/)).toBeTruthy();
    fireEvent.click(dialog.getByRole("button", { name: "Apply all" }));
    await screen.findAllByText("12 updates applied");
    expect(calls.map((call) => (Array.isArray(call) ? call.length - 1 : 0))).toEqual([7, 5]);
    await row("flag");
  });
});

describe("bulk apply with failures", () => {
  it("skips updates with a decision in progress, and applies the rest", async () => {
    const free = Promise.withResolvers<void>();
    const calls = await open([update("a"), update("b")], { gateApply: () => free.promise });
    await press("a", "Apply");
    fireEvent.click(screen.getByLabelText("Select all"));
    fireEvent.click(screen.getByRole("button", { name: "Apply selected" }));
    await screen.findAllByText("1 update applied");
    expect(calls).toEqual([
      ["apply", "a", null],
      ["applyMany", "b"],
    ]);
    free.resolve();
    await gone("a");
  });

  it("reports no success if nothing was applied, and keeps the selection", async () => {
    const free = Promise.withResolvers<void>();
    await open([update("a")], { gateApply: () => free.promise });
    await press("a", "Apply");
    fireEvent.click(screen.getByLabelText("Select all"));
    fireEvent.click(screen.getByRole("button", { name: "Apply selected" }));
    await screen.findAllByText("Already being processed.");
    expect(screen.queryByText("0 updates applied")).toBeNull();
    expect(screen.getByText("1 selected")).toBeTruthy();
    free.resolve();
    await gone("a");
  });

  it("does not report an unknown outcome as refused", async () => {
    await open([update("a"), update("b", { flags: ["jump"] })], { answerLost: true });
    fireEvent.click(screen.getByRole("button", { name: "Apply all unflagged (1)" }));
    fireEvent.click(
      within(await screen.findByRole("alertdialog")).getByRole("button", { name: "Apply all" }),
    );
    await screen.findAllByText(/The server didn't respond for 1 update/);
    expect(screen.queryByText(/could not be applied/)).toBeNull();
    await gone("a");
    await row("b");
  });

  it("finds unflagged updates beyond a screen of flagged ones", async () => {
    const flagged = ["f1", "f2", "f3"].map((id) => update(id, { flags: ["jump"] }));
    const calls = await open([...flagged, update("a"), update("b")], { answers: 3 });
    fireEvent.click(screen.getByRole("button", { name: "Apply all unflagged (2)" }));
    fireEvent.click(
      within(await screen.findByRole("alertdialog")).getByRole("button", { name: "Apply all" }),
    );
    await screen.findAllByText("2 updates applied");
    expect(calls).toEqual([["applyMany", "a", "b"]]);
  });
});

describe("keyboard", () => {
  it("decides one row per press, however long the key is held", async () => {
    const calls = await open([update("a"), update("b")]);
    await focus("a");
    key("a", { repeat: true });
    key("r", { repeat: true });
    expect(calls).toEqual([]);
    expect(screen.queryByRole("dialog")).toBeNull();
    key("j", { repeat: true });
    expect(document.activeElement).toBe(await row("b"));
  });

  it("does not decide the neighbor of a row that someone else has just decided", async () => {
    const updates = [update("a"), update("b"), update("c")];
    const part = (
      <>
        <ReviewPage />
        <Refetch />
      </>
    );
    const calls = await openPart(part, updates);
    await focus("b");
    const [, taken] = updates;
    if (taken) taken.status = UpdateStatus.REJECTED;
    // A scripted click does not move the focus, like an external change.
    fireEvent.click(screen.getByRole("button", { name: "Refetch" }));
    await waitFor(() => expect(document.activeElement?.id).toBe("update-c"));
    key("a");
    expect(calls).toEqual([]);
    await new Promise((resolve) => setTimeout(resolve, 450));
    key("a");
    await waitFor(() => expect(calls).toEqual([["apply", "c", null]]));
  });

  it("is inactive after a press on the empty page", async () => {
    const calls = await open([update("a")]);
    await focus("a");
    fireEvent.pointerDown(document.body);
    act(() =>
      document.activeElement instanceof HTMLElement ? document.activeElement.blur() : undefined,
    );
    key("a");
    key("r");
    expect(calls).toEqual([]);
    expect(screen.queryByRole("dialog")).toBeNull();
  });

  it("moves through rows, and focuses the next one when a row is removed", async () => {
    const calls = await open([update("a"), update("b"), update("c")]);
    key("j");
    expect(document.activeElement).toBe(await row("a"));
    key("ArrowDown");
    expect(document.activeElement).toBe(await row("b"));
    key("k");
    key("j");
    key("a");
    await gone("b");
    await waitFor(() => expect(document.activeElement?.id).toBe("update-c"));
    key("a");
    await waitFor(() => expect(document.activeElement?.id).toBe("update-a"));
    expect(calls).toEqual([
      ["apply", "b", null],
      ["apply", "c", null],
    ]);
  });

  it("has one row in the tab order", async () => {
    await open([update("a"), update("b")]);
    expect((await row("a")).tabIndex).toBe(0);
    expect((await row("b")).tabIndex).toBe(-1);
    const hidden = within(await row("b")).getAllByRole("button");
    expect(hidden.every((button) => button.tabIndex === -1)).toBe(true);
  });

  it("selects, corrects, moves, rejects", async () => {
    await open([update("a"), update("b"), update("c", below)]);
    await focus("a");
    key("x");
    expect(screen.getByText("1 selected")).toBeTruthy();
    await focus("b");
    key("X", { shiftKey: true });
    expect(screen.getByText("2 selected")).toBeTruthy();
    key("e");
    const field = await screen.findByLabelText(/Correct reading/);
    // Typing triggers no shortcut.
    key("r");
    expect(screen.queryByRole("dialog")).toBeNull();
    fireEvent.keyDown(field, { key: "Escape" });
    key("m");
    await screen.findByRole("dialog", { name: "Which machine was it?" });
    key("Escape");
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
    await focus("b");
    key("r");
    await screen.findByRole("dialog", { name: "Reject this update?" });
    key("Escape");
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
    await focus("c");
    key("x");
    await screen.findAllByText("A reading below the meter needs its own decision.");
  });

  it("does nothing for a row while the focus is elsewhere", async () => {
    const calls = await open([update("a")]);
    key("a");
    key("r");
    expect(calls).toEqual([]);
    expect(screen.queryByRole("dialog")).toBeNull();
    key("A", { shiftKey: true });
    await screen.findByRole("alertdialog");
  });

  it("shows the keys, and can turn them off", async () => {
    await open([update("a")]);
    key("?", { shiftKey: true });
    const dialog = within(await screen.findByRole("dialog", { name: "Keyboard shortcuts" }));
    expect(dialog.getByText("Other machine")).toBeTruthy();
    fireEvent.click(dialog.getByRole("switch", { name: "Single-key shortcuts" }));
    fireEvent.click(dialog.getByRole("button", { name: "Close" }));
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
    await focus("a");
    key("r");
    expect(screen.queryByRole("dialog")).toBeNull();
    expect(localStorage.getItem("reviewKeys")).toBe("off");
  });
});
