import { Code, ConnectError } from "@connectrpc/connect";
import { fireEvent, screen, waitFor, within } from "@testing-library/react";
import * as v from "valibot";
import { describe, expect, it, vi } from "vitest";
import { HistoryKind } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { UpdateStatus } from "#/api/gen/hourmeter/operator_updates/v1/operator_updates_pb";
import { at, below, open as openPart, pickup, update } from "../updates.fixture";
import {
  choose,
  focus,
  gone,
  key,
  open,
  openLive,
  press,
  refetch,
  row,
  type Updates,
} from "./review-page.fixture";
import { ReviewPage } from "./review-page";
import { reviewSearchSchema } from "./search";

describe("on paper", () => {
  const pressPrint = async () => {
    fireEvent.click(await screen.findByRole("button", { name: "Print" }));
    await waitFor(() => expect(document.querySelector("[data-print-report]")).toBeTruthy());
    return document.querySelector<HTMLElement>("[data-print-report]") ?? document.body;
  };

  it("are the waiting updates in the order of the screen", async () => {
    vi.stubGlobal("print", () => undefined);
    await openLive([
      update("a", { equipmentId: "e3", equipmentName: "Roller", notes: "Left at the yard" }),
      update("b", below),
    ]);
    await row("a");
    const paper = await pressPrint();
    expect(paper.textContent).toContain("2 updates waiting");
    const [, pickupRow, roller] = [...paper.querySelectorAll("tr")].map((tr) => tr.textContent);
    expect(pickupRow).toMatch(/Pickup.*88,094 miles.*810 mi below the meter/);
    expect(roller).toMatch(/Roller.*Left at the yard/);
    fireEvent(window, new Event("afterprint"));
  });

  it("leave out an update that was just decided", async () => {
    vi.stubGlobal("print", () => undefined);
    await openLive([update("a"), update("b", pickup)]);
    await press("a", "Apply");
    await gone("a");
    const paper = await pressPrint();
    expect(paper.textContent).toContain("1 update waiting");
    expect(paper.querySelectorAll("tbody tr")).toHaveLength(1);
    fireEvent(window, new Event("afterprint"));
  });

  it("are only unflagged ones while the filter is on", async () => {
    vi.stubGlobal("print", () => undefined);
    await openLive([update("a"), update("b", below)]);
    await row("b");
    fireEvent.click(screen.getByRole("button", { name: "Only unflagged" }));
    expect(await screen.findByText("1 of 2 updates")).toBeTruthy();
    const paper = await pressPrint();
    expect(paper.textContent).toContain("1 of 2 updates · Only unflagged");
    expect(paper.querySelectorAll("tbody tr")).toHaveLength(1);
    fireEvent(window, new Event("afterprint"));
    fireEvent.click(screen.getByRole("button", { name: "Clear" }));
    await waitFor(() => expect(screen.queryByText("1 of 2 updates")).toBeNull());
    expect(await row("b")).toBeTruthy();
  });
});

describe("what is shown", () => {
  it("is filtered by the address", async () => {
    const onSearch = vi.fn<() => void>();
    const search = v.parse(reviewSearchSchema, { unflagged: true });
    await openPart(<ReviewPage search={search} onSearch={onSearch} />, [
      update("a"),
      update("b", below),
    ]);
    expect(await screen.findByText("1 of 2 updates")).toBeTruthy();
    fireEvent.click(screen.getByRole("button", { name: "Only unflagged" }));
    expect(onSearch).toHaveBeenCalledExactlyOnceWith({});
  });

  it("focuses the update that the address names", async () => {
    const search = v.parse(reviewSearchSchema, { update: "b" });
    await openPart(<ReviewPage search={search} onSearch={() => undefined} />, [
      update("a"),
      update("b"),
    ]);
    await waitFor(() => expect(document.activeElement?.id).toBe("update-b"));
    await press("b", "Apply");
    await waitFor(() => expect(document.querySelector("[data-decided]")).toBeTruthy());
    expect(screen.queryByText(/no longer waiting/)).toBeNull();
  });

  it("says that the update which the address names was decided", async () => {
    const search = v.parse(reviewSearchSchema, { update: "b" });
    await openPart(<ReviewPage search={search} onSearch={() => undefined} />, [update("a")]);
    expect(await screen.findByText(/no longer waiting/)).toBeTruthy();
  });

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
    ).toEqual(["Pickup", "Excavator", "RL-3 Roller"]);
    expect(screen.getByText(/^never read$/)).toBeTruthy();
    const ids = [...document.querySelectorAll("[id^=update-][role=row]")].map(({ id }) => id);
    expect(ids).toEqual(["update-d", "update-c", "update-b", "update-a"]);
    expect(screen.getByText("4 updates waiting · 1 needs attention")).toBeTruthy();
    expect(screen.getByRole("link", { name: "Pickup" }).getAttribute("href")).toBe(
      "/equipment/item/e2",
    );
  });

  it("compares a reading with the meter without what was added since", async () => {
    const added = (time: string, usageBefore: number, usage: number) => ({
      capturedAt: at(`2026-11-21T${time}Z`),
      usageBefore,
      usage,
    });
    const history = [added("12:30:00", 4801.6, 4804.1), added("11:30:00", 4800, 4801.6)];
    await open([update("a")], { history });
    expect(await within(await row("a")).findByText("+10.9 h")).toBeTruthy();
  });

  it("keeps the difference of a decided row when more is added", async () => {
    const added = (time: string, usageBefore: number, usage: number) => ({
      capturedAt: at(`2026-11-21T${time}Z`),
      usageBefore,
      usage,
    });
    const history = [added("12:30:00", 4801.6, 4804.1)];
    await openLive([update("a"), update("c")], { history });
    for (const id of ["a", "c"]) {
      expect(await within(await row(id)).findByText("+10.9 h")).toBeTruthy();
    }
    await press("a", "Apply");
    await gone("a");
    history.unshift(added("12:45:00", 4804.1, 4806.1));
    refetch();
    expect(await within(await row("c")).findByText("+12.9 h")).toBeTruthy();
    expect(within(await row("a")).getByText("+10.9 h")).toBeTruthy();
  });

  it("compares a lower reading with the meter of its time, and names the meter after it", async () => {
    const history = [{ capturedAt: at("2026-11-21T12:30:00Z"), usageBefore: 88874, usage: 88904 }];
    await open([update("b", below)], { history });
    const found = within(await row("b"));
    expect(await found.findByText("780 mi below the meter at that time (88,874)")).toBeTruthy();
    expect(found.getByText("\u2212780 mi")).toBeTruthy();
    await press("b", "Set the meter back to 88,124 mi");
    const dialog = await screen.findByRole("alertdialog", {
      name: "Set the meter back to 88,124 miles?",
    });
    expect(dialog.textContent).toContain("goes back to 88,094 miles, plus 30 mi added since.");
  });

  it("does not ask before a correction that raises the meter with what was added since", async () => {
    const history = [{ capturedAt: at("2026-11-21T12:30:00Z"), usageBefore: 88874, usage: 88904 }];
    const calls = await open([update("b", below)], { history });
    await choose("b", "Correct the value");
    const field = await screen.findByLabelText(/^Correct reading of Pickup/);
    fireEvent.change(field, { target: { value: "88880" } });
    expect(
      await screen.findByText("Sets the meter to 88,910 miles: this value plus 30 mi added since."),
    ).toBeTruthy();
    fireEvent.submit(field);
    await gone("b");
    expect(screen.queryByRole("alertdialog")).toBeNull();
    expect(calls).toEqual([["apply", "b", 88880]]);
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
    [
      {
        flags: ["jump"],
        newUsage: undefined,
        usageIncrease: 312,
        capturedAt: at("2026-11-23T12:00:00Z"),
      },
      "312 h in 3 days; usually 8 h a day",
    ],
    [{ ...pickup, flags: ["jump"], newUsage: 90904 }, "2,000 mi in one day, more than is possible"],
    [{ flags: ["fuel_high"], fuelAdded: 96 }, "96.0 gal; a usual fill is 30.0 gal"],
    [
      { ...pickup, newUsage: 88905, flags: ["fuel_high"], fuelAdded: 400 },
      "400.0 gal in one fill; more than most tanks hold",
    ],
    [{ belowCurrent: true, flags: ["below_meter"] }, "Lower than another update that waits"],
    [{ flags: ["repeated"] }, "Same figures sent twice within 10 minutes"],
    [{ capturedOnDevice: "Shop phone" }, "captured offline on Shop phone"],
    [{ flags: ["removed_device"] }, "Captured on this phone after it was removed"],
    [{ flags: ["removed_person"] }, "Captured after the person left the phone or the company"],
    [{ flags: ["below_meter"], late: true }, "Below what the meter showed at that time"],
    [
      { capturedAt: at("2026-11-20T11:59:59Z") },
      "Captured before the last reading: it is recorded at its own time, and the newer reading stands",
    ],
    [{ flags: ["refused"] }, "Couldn't be applied"],
    [{ flags: ["unheard_of"] }, "Needs attention"],
    [
      { ...pickup, flags: ["jump"], newUsage: 90904.4 },
      "2,000.4 mi in one day, more than is possible",
    ],
    [
      { late: true },
      "Captured before the last reading: it is recorded at its own time, and the newer reading stands",
    ],
    [{ reportedEquipmentName: "Loader" }, "Reported for Loader"],
  ])("describes a flag: %#", async (more, text) => {
    await open([update("a", more)]);
    expect(await screen.findByText(text)).toBeTruthy();
  });

  it("names the service that counts from a higher meter, until it was applied", async () => {
    const history = [
      {
        kind: HistoryKind.SERVICE,
        capturedAt: at("2026-11-21T15:00:00Z"),
        performedOn: "2026-11-21",
        usage: 4804.1,
        usageBefore: 4804.1,
      },
    ];
    await open([update("a")], { history, meterAfter: 4812.5 });
    const text = /^Captured before the service of Nov 21, 2026: once this is applied, that service/;
    await screen.findByText(text);
    await press("a", "Apply");
    await screen.findByText(/^Shows 4,812.5 hours/);
    expect(within(await row("a")).queryByText(text)).toBeNull();
    await press("a", "Undo");
    await screen.findByText(text);
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

it("labels controls with the machine's unit number", async () => {
  await open([update("a", { equipmentId: "e3", equipmentName: "Roller" })]);
  await screen.findByLabelText("Select all updates for RL-3 Roller");
  const line = within(await row("a"));
  expect(line.getByLabelText("Select the update for RL-3 Roller by Maria Lopez")).toBeTruthy();
  const more = "More actions for the update for RL-3 Roller by Maria Lopez";
  expect(line.getByRole("button", { name: more })).toBeTruthy();
});

describe("a list that changes while someone works on it", () => {
  const taken = (updates: Updates, id: string) => {
    const found = updates.find((each) => each.id === id);
    if (found) found.status = UpdateStatus.REJECTED;
  };
  const isThere = (id: string) => document.getElementById(`update-${id}`) !== null;

  it("removes a machine's heading with its last row", async () => {
    await open([update("a"), update("b", pickup)]);
    fireEvent.click(screen.getByLabelText("Select all updates for Excavator"));
    fireEvent.click(screen.getByRole("button", { name: "Apply selected" }));
    await waitFor(async () => expect((await row("a")).hasAttribute("inert")).toBe(true));
    expect(screen.queryByRole("heading", { name: "Excavator" })).toBeNull();
    await gone("a");
  });

  it("keeps decided rows in place, so that a second click decides nothing", async () => {
    const updates = [update("a"), update("b")];
    const calls = await openLive(updates);
    const button = within(await row("a")).getByRole("button", { name: "Apply" });
    fireEvent.click(button);
    await gone("a");
    refetch();
    await screen.findByText("1 update waiting");
    const rows = [...document.querySelectorAll("[id^=update-][role=row]")].map(({ id }) => id);
    expect(rows).toEqual(["update-a", "update-b"]);
    expect(button.isConnected && button.closest("[inert]")).not.toBeNull();
    fireEvent.click(button);
    expect(calls).toEqual([["apply", "a", null]]);
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

  it("keeps a dialog and the selection when the last flagged update is decided elsewhere", async () => {
    const updates = [update("flag", { flags: ["jump"] }), update("a"), update("b", pickup)];
    await openLive(updates);
    const filter = await screen.findByRole("button", { name: "Only unflagged" });
    fireEvent.click(filter);
    await gone("flag");
    fireEvent.click(screen.getByLabelText("Select all"));
    await choose("b", "Meter replaced");
    const dialog = within(await screen.findByRole("dialog"));
    const final = dialog.getByLabelText<HTMLInputElement>("Last reading of the old meter");
    fireEvent.change(final, { target: { value: "4810" } });
    taken(updates, "flag");
    refetch();
    await screen.findByText("2 updates waiting");
    expect(final.isConnected && final.value).toBe("4810");
    expect(screen.getByText("2 selected")).toBeTruthy();
    expect(filter.isConnected && filter.getAttribute("aria-pressed")).toBe("true");
  });

  it("is not empty while unflagged updates wait beyond the loaded ones", async () => {
    await open([update("flag", { flags: ["jump"] }), update("a")], { answers: 1 });
    fireEvent.click(screen.getByRole("button", { name: "Only unflagged" }));
    await gone("flag");
    expect(screen.queryByText("Nothing to review")).toBeNull();
    expect(screen.getByRole("button", { name: "Apply all unflagged (1)" })).toBeTruthy();
  });

  it("moves the focus to the title after the last row", async () => {
    await open([update("a")]);
    await focus("a");
    key("a");
    await gone("a");
    await waitFor(() =>
      expect(document.activeElement).toBe(screen.getByRole("heading", { level: 1 })),
    );
  });
});
