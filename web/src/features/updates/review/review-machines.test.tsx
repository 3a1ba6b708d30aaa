import { Code } from "@connectrpc/connect";
import { fireEvent, screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { MeterUnit } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import {
  FuelKind,
  UndoableDecision,
} from "#/api/gen/hourmeter/operator_updates/v1/operator_updates_pb";
import { currentToast } from "#/shared/toast/store";
import { refusal } from "#/test/refusal";
import { openDialog } from "#/test/open-dialog";
import { below, pickup, update } from "../updates.fixture";
import { choose, gone, open, press, row, waiting } from "./review-page.fixture";

describe("one by one", () => {
  it("moves it to the right machine, after a preview", async () => {
    const calls = await open([update("b", { ...below, newUsage: 4812.5 })]);
    await press("b", "Other machine");
    const dialog = await openDialog("Which machine was it?");
    expect(dialog.getByText(/Maria Lopez reported 4,812.5 miles for Pickup/)).toBeTruthy();
    const fits = await dialog.findByRole("group", { name: "The reading fits these" });
    expect(within(fits).getAllByRole("radio")).toHaveLength(1);
    const others = dialog.getByRole("group", { name: "All equipment" });
    expect(within(others).getByRole("radio", { name: /Roller.*never read/ })).toBeTruthy();
    expect(dialog.queryByRole("radio", { name: /Pickup/ })).toBeNull();
    fireEvent.click(dialog.getByRole("button", { name: "Move and apply" }));
    fireEvent.click(within(fits).getByRole("radio", { name: /Excavator/ }));
    expect(
      dialog.getByText(/It moves to Excavator \(shows 4,804.1 hours, \+8.4 h\) and is applied/),
    ).toBeTruthy();
    fireEvent.click(dialog.getByRole("button", { name: "Move and apply" }));
    await gone("b");
    expect(calls).toEqual([["move", "b", "e1"]]);
    expect((await row("b")).textContent).toContain("Applied to Excavator");
    fireEvent.click(within(await row("b")).getByRole("button", { name: "Undo" }));
    await waiting("b");
    expect(calls.slice(1)).toEqual([
      ["undo", UndoableDecision.APPLICATION, "b"],
      ["moveBack", "b", "e2"],
    ]);
    await screen.findByRole("heading", { name: "Pickup" });
  });

  it("lists machines of another unit or fuel last, and says what differs", async () => {
    const diesel = { unit: MeterUnit.HOURS, fuelAdded: 10, fuelKind: FuelKind.DIESEL };
    const calls = await open([update("a", { newUsage: 88910, ...diesel })], { moveWaits: true });
    await choose("a", "Other machine");
    const dialog = within(await screen.findByRole("dialog"));
    const pickupRadio = await dialog.findByRole("radio", { name: /Pickup/ });
    expect(pickupRadio.closest("label")?.textContent).toContain("counts in milesruns on gasoline");
    const names = dialog.getAllByRole("radio").map((each) => each.closest("label")?.textContent);
    expect(names[0]).toContain("Roller");
    fireEvent.click(pickupRadio);
    expect(dialog.getByText(/Pickup counts in miles, this update in another unit/)).toBeTruthy();
    expect(dialog.getByText(/Pickup runs on gasoline, this update has another/)).toBeTruthy();
    fireEvent.click(dialog.getByRole("button", { name: "Move anyway" }));
    await screen.findAllByText("Update moved");
    expect(calls).toEqual([["move", "a", "e2"]]);
  });

  it("finds a machine by name, and keeps an update waiting that is unusual there too", async () => {
    const calls = await open([update("a")], { moveWaits: true });
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
    await choose("a", "Other machine");
    const again = await openDialog("Which machine was it?");
    expect(again.getByText(/reported .* for Excavator/)).toBeTruthy();
    fireEvent.click(again.getByRole("button", { name: "Cancel" }));
    currentToast()?.action?.run();
    await screen.findByRole("heading", { name: "Excavator" });
    expect(calls.at(-1)).toEqual(["moveBack", "a", "e1"]);
  });

  it("names an update to move by its notes if it has no figures", async () => {
    const notes = "Medidor cambiado";
    await open([update("a", { notes, newUsage: undefined })]);
    await choose("a", "Other machine");
    const dialog = await openDialog("Which machine was it?");
    expect(dialog.getByText("Maria Lopez reported Meter replaced for Excavator.")).toBeTruthy();
  });

  it("offers only to move or reject an update of a machine that is gone", async () => {
    const sold = { equipmentId: "sold", unit: MeterUnit.MILES, flags: ["refused"] };
    const calls = await open([update("x", sold)]);
    await screen.findByText("No longer in your equipment");
    const entry = within(await row("x"));
    expect(entry.getByText("4,812.5 miles")).toBeTruthy();
    expect(entry.getByRole("listitem").textContent).toMatch(/^The machine is retired or was/);
    await waitFor(() =>
      expect(entry.queryByRole("button", { name: "Correct the value" })).toBeNull(),
    );
    expect(entry.getByRole("button", { name: "Other machine" })).toBeTruthy();
    fireEvent.click(entry.getByRole("button", { name: "Accept as is" }));
    expect(calls).toEqual([]);
    expect(entry.getByRole("button", { name: "Accept as is" }).getAttribute("aria-disabled")).toBe(
      "true",
    );
  });

  it("restores the retired machine of an update, and keeps the reason of a refusal", async () => {
    const failRestore = refusal(Code.FailedPrecondition, "EQUIPMENT_LIMIT_REACHED");
    const calls = await open([update("x", { equipmentId: "sold" })], {
      retired: "sold",
      failRestore,
    });
    await screen.findByText("No longer in your equipment");
    await press("x", "Restore");
    const dialog = within(await screen.findByRole("alertdialog", { name: "Restore Old truck?" }));
    fireEvent.click(dialog.getByRole("button", { name: "Restore equipment" }));
    await dialog.findByRole("link", { name: "See plans" });
    expect(calls).toEqual([["restore", "r1"]]);
  });

  it("says that a deleted machine can't be restored", async () => {
    await open([update("x", { equipmentId: "sold" })]);
    await screen.findByText("No longer in your equipment");
    await press("x", "Restore");
    expect(await screen.findByText(/^Excavator was deleted and can't be restored\./)).toBeTruthy();
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
    await screen.findByText(/^never read$/);
    await screen.findByText("No longer in your equipment");
  });
});
