import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { Code, ConnectError, createRouterTransport } from "@connectrpc/connect";
import { fireEvent, screen, waitFor, within } from "@testing-library/react";
import { beforeEach, describe, expect, it, vi } from "vitest";
import {
  EquipmentSchema,
  EquipmentService,
  MeterUnit,
  ServiceStatus,
  type Equipment,
} from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import type { EquipmentFilter } from "#/domain/equipment-filter";
import { currentToast, toast } from "#/shared/toast/store";
import { renderPart } from "#/test/render-app";
import { EquipmentOverview } from "./equipment-overview";

const piece = (id: string, name: string, more: MessageInitShape<typeof EquipmentSchema>) =>
  create(EquipmentSchema, { id, name, unit: MeterUnit.HOURS, ...more });

const fleet = () => [
  piece("9f31c0de-0000", "Compressor", { serviceStatus: ServiceStatus.GOOD }),
  piece("71aa02f4-0000", "Excavator", {
    serviceStatus: ServiceStatus.OVERDUE,
    currentUsage: 4812.5,
    serviceInterval: 250,
    usagePercent: 125,
    nextServiceDueUsage: 4750,
    remainingUsage: 0,
  }),
];

async function open(list: Equipment[], filter: EquipmentFilter = {}) {
  const calls: unknown[] = [];
  const state = { fail: false };
  const record = (call: unknown) => {
    calls.push(call);
    if (state.fail) throw new ConnectError("The disk is full.", Code.Internal);
  };
  const transport = createRouterTransport(({ service }) => {
    service(EquipmentService, {
      listEquipment: () => ({ equipment: list }),
      recordUsage: ({ id, usageIncrease }) => {
        record(["usage", id, usageIncrease]);
        return { equipment: piece(id, "Excavator", { currentUsage: 4820.5 }) };
      },
      retireEquipment: ({ id, retirementNotes }) => {
        record(["retire", id, retirementNotes]);
        return {};
      },
      deleteEquipment: ({ id }) => {
        record(["delete", id]);
        return {};
      },
    });
  });
  const onEdit = vi.fn<(id: string) => void>();
  const onClearFilters = vi.fn<() => void>();
  await renderPart(
    <EquipmentOverview
      filter={filter}
      onClearFilters={onClearFilters}
      onEdit={onEdit}
      addAction={<button type="button">Add Your First Equipment</button>}
    />,
    transport,
  );
  return { calls, state, onEdit, onClearFilters };
}

async function openMenu(name: string) {
  const trigger = await screen.findByRole("button", { name: `Actions for ${name}` });
  fireEvent.keyDown(trigger, { key: "Enter" });
  return screen.findByRole("menu");
}

const choose = async (name: string, item: string) =>
  fireEvent.click(within(await openMenu(name)).getByRole("menuitem", { name: item }));

beforeEach(() => toast.dismiss());

describe("the list", () => {
  it("stands overdue first and says what is left in words", async () => {
    await open(fleet());
    const rows = (await screen.findAllByRole("row")).slice(1);
    expect(rows.map((row) => within(row).getAllByRole("cell")[0]?.textContent)).toEqual([
      "Excavator71aa02f4",
      "Compressor9f31c0de",
    ]);
    expect(screen.getByText("overdue by 62.5 hours")).toBeTruthy();
    expect(screen.getByText("No schedule")).toBeTruthy();
  });

  it("tells nothing yet from no match", async () => {
    await open([]);
    expect(await screen.findByText("No equipment yet")).toBeTruthy();
    expect(screen.getByRole("button", { name: "Add Your First Equipment" })).toBeTruthy();
  });

  it("offers a way out where nothing matches", async () => {
    const { onClearFilters } = await open(fleet(), { search: "zzz" });
    fireEvent.click(await screen.findByRole("button", { name: "Clear filters" }));
    expect(onClearFilters).toHaveBeenCalledOnce();
    expect(screen.getByRole("status").textContent).toBe("0 of 2 shown");
  });

  it("offers Mark as Serviced only with a service interval", async () => {
    await open(fleet());
    const plain = await openMenu("Compressor");
    expect(
      within(plain)
        .getAllByRole("menuitem")
        .map((item) => item.textContent),
    ).toEqual(["Update Usage", "View Notes", "Edit", "Delete"]);
    fireEvent.keyDown(plain, { key: "Escape" });
    const served = await openMenu("Excavator");
    expect(within(served).getByRole("menuitem", { name: "Mark as Serviced" })).toBeTruthy();
  });

  it("edits by id", async () => {
    const { onEdit } = await open(fleet());
    await choose("Compressor", "Edit");
    expect(onEdit).toHaveBeenCalledWith("9f31c0de-0000");
  });
});

describe("Update Usage", () => {
  it("refuses what is no positive number, with the documented words", async () => {
    const { calls } = await open(fleet());
    await choose("Excavator", "Update Usage");
    fireEvent.click(screen.getByRole("button", { name: "Update Usage" }));
    await waitFor(() => expect(currentToast()?.title).toBe("Invalid Input"));
    const text = "Please enter a valid positive number for usage increase.";
    expect(currentToast()?.description).toBe(text);
    const field = screen.getByRole("textbox", { name: "Usage increase" });
    expect(field.getAttribute("aria-invalid")).toBe("true");
    expect(calls).toEqual([]);
  });

  it("shows the new total while typing, then sends the increase", async () => {
    const { calls } = await open(fleet());
    await choose("Excavator", "Update Usage");
    const field = screen.getByRole("textbox", { name: "Usage increase" });
    fireEvent.change(field, { target: { value: "8" } });
    expect(screen.getByText("4,820.5 hours")).toBeTruthy();
    fireEvent.click(screen.getByRole("button", { name: "Update Usage" }));
    await waitFor(() => expect(currentToast()?.title).toBe("Usage Updated"));
    expect(calls).toEqual([["usage", "71aa02f4-0000", 8]]);
    expect(screen.queryByRole("dialog")).toBeNull();
  });

  it("keeps what was typed when the server refuses", async () => {
    const { state } = await open(fleet());
    state.fail = true;
    await choose("Excavator", "Update Usage");
    const field = screen.getByRole<HTMLInputElement>("textbox", { name: "Usage increase" });
    fireEvent.change(field, { target: { value: "8" } });
    fireEvent.click(screen.getByRole("button", { name: "Update Usage" }));
    await waitFor(() => expect(currentToast()?.title).toBe("Update Failed"));
    expect(within(screen.getByRole("dialog")).getByText("The disk is full.")).toBeTruthy();
    expect(field.value).toBe("8");
  });
});

describe("Delete", () => {
  it("recommends retiring, with notes", async () => {
    const { calls } = await open(fleet());
    await choose("Excavator", "Delete");
    expect(screen.getByRole("radio", { name: /Retire with Notes/ })).toHaveProperty(
      "checked",
      true,
    );
    const notes = screen.getByRole("textbox", { name: /Retirement notes/ });
    fireEvent.change(notes, { target: { value: "Sold." } });
    fireEvent.click(screen.getByRole("button", { name: "Retire Equipment" }));
    await waitFor(() => expect(currentToast()?.title).toBe("Equipment Retired"));
    expect(calls).toEqual([["retire", "71aa02f4-0000", "Sold."]]);
  });

  it("asks once more before deleting for good", async () => {
    const { calls } = await open(fleet());
    await choose("Excavator", "Delete");
    fireEvent.click(screen.getByRole("radio", { name: "Delete permanently" }));
    fireEvent.click(screen.getByRole("button", { name: "Delete permanently" }));
    const question = await screen.findByRole("alertdialog", {
      name: "Delete Excavator permanently?",
    });
    expect(calls).toEqual([]);
    fireEvent.click(within(question).getByRole("button", { name: "Delete permanently" }));
    await waitFor(() => expect(currentToast()?.title).toBe("Equipment Deleted"));
    expect(calls).toEqual([["delete", "71aa02f4-0000"]]);
  });
});
