import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError, createRouterTransport } from "@connectrpc/connect";
import { fireEvent, screen, waitFor, within } from "@testing-library/react";
import { beforeEach, describe, expect, it, vi } from "vitest";
import {
  EquipmentService,
  HistoryKind,
  HistoryOrder,
  HistoryRecordSchema,
  MeterChange,
  MeterUnit,
} from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { currentToast } from "#/shared/toast/store";
import { stubRest } from "#/test/render-app";
import { renderRouted } from "#/test/render-routed";
import { HistoryCard } from "./history-card";

const { download } = vi.hoisted(() => ({
  download: vi.fn<(name: string, text: string) => void>(),
}));
vi.mock("#/shared/csv/download", () => ({ download }));

const record = (id: string, more: MessageInitShape<typeof HistoryRecordSchema> = {}) =>
  create(HistoryRecordSchema, {
    id,
    equipmentId: "e1",
    equipmentName: "Excavator",
    kind: HistoryKind.USAGE,
    operatorName: "Maria Lopez",
    unit: MeterUnit.HOURS,
    usageBefore: 4750,
    usage: 4812.5,
    ...more,
  });

const pages: Record<string, ReturnType<typeof record>[]> = {
  "": [record("a")],
  "2": [record("b", { operatorName: "Ana Ruiz" })],
  "3": [record("c", { operatorName: "Luis Diaz" })],
};

const row = {
  id: "a",
  equipmentId: "e1",
  equipmentName: "Excavator",
  type: "update",
  noteType: "usage_update",
  operatorName: "Maria Lopez",
  usage: 4812.5,
  fuelAdded: 12,
  fuelType: "diesel",
  content: "-ok",
  voided: { reason: "typo", by: "Ana Ruiz", at: "2025-01-06T12:00:00Z" },
  createdAt: "2025-01-05T12:00:00Z",
};

const shown = async () => (await screen.findAllByRole("listitem")).map((row) => row.textContent);

async function open(first = pages[""] ?? [], more = first === pages[""]) {
  const requests: string[] = [];
  const orders: HistoryOrder[] = [];
  const state = { fail: false };
  const rest = stubRest({ "GET /api/equipment-history/export": { status: 200, body: [row] } });
  const transport = createRouterTransport(({ service }) => {
    service(EquipmentService, {
      listHistory: ({ page, order }) => {
        orders.push(order);
        const cursor = page?.cursor ?? "";
        requests.push(cursor);
        if (state.fail) throw new ConnectError("Down.", Code.Internal);
        const next = { "": "2", "2": "3" }[cursor] ?? "";
        return {
          records: cursor === "" ? first : (pages[cursor] ?? []),
          page: { nextCursor: more ? next : "" },
        };
      },
    });
  });
  await renderRouted(<HistoryCard />, transport);
  return { requests, orders, state, rest };
}

const box = () => screen.findByRole("region", { name: "Equipment History" });

/** jsdom has no layout: this box is far from its end until it is scrolled. */
let scrollHeight = 2000;
beforeEach(() => {
  download.mockClear();
  scrollHeight = 2000;
  vi.spyOn(HTMLElement.prototype, "scrollHeight", "get").mockImplementation(() => scrollHeight);
  vi.spyOn(HTMLElement.prototype, "clientHeight", "get").mockReturnValue(400);
});

describe("a meter that ended", () => {
  it("shows how it ended and its life-to-date usage", async () => {
    await open([
      record("m", {
        kind: HistoryKind.METER,
        meterReplacement: { change: MeterChange.ROLLED_OVER, finalReading: 10_000 },
        usageBefore: 9990,
        usage: 10_004.5,
        reading: 4.5,
        content: "Meter began again after 10000 hours. It shows 4.5 hours.",
      }),
      record("u", { usageBefore: 10_004.5, usage: 10_006.5, reading: 6.5 }),
    ]);
    const [ended, read] = await screen.findAllByRole("listitem");
    expect(ended?.textContent).toContain("Excavator · Meter rolled over");
    expect(ended?.textContent).toContain("9,990 → 10,004.5 hours life-to-date");
    expect(ended?.textContent).toContain("The meter rolled over at 10,000 hours.");
    expect(read?.textContent).toContain("10,004.5 → 10,006.5 hours life-to-date");
  });
});

describe("the Equipment History card", () => {
  it("scrolls within exactly 400 pixels and loads more near its end", async () => {
    const { requests } = await open();
    const area = await box();
    expect(area.className).toContain("h-[400px]");
    expect(requests).toEqual([""]);
    fireEvent.scroll(area, { target: { scrollTop: 1000 } });
    expect(requests).toEqual([""]);
    fireEvent.scroll(area, { target: { scrollTop: 1500 } });
    expect(await screen.findByText("Ana Ruiz")).toBeTruthy();
  });

  it("loads until its height is filled, and stops at the end", async () => {
    scrollHeight = 100;
    const { requests } = await open();
    expect(await screen.findByText("Luis Diaz")).toBeTruthy();
    expect(requests).toEqual(["", "2", "3"]);
  });

  it("keeps the loaded entries when older ones fail, and retries only on request", async () => {
    const { requests, state } = await open();
    const area = await box();
    state.fail = true;
    fireEvent.scroll(area, { target: { scrollTop: 1500 } });
    expect(await within(area).findByText("The history could not be loaded.")).toBeTruthy();
    fireEvent.scroll(area, { target: { scrollTop: 1501 } });
    expect(requests).toEqual(["", "2"]);
    state.fail = false;
    fireEvent.click(within(area).getByRole("button", { name: "Try again" }));
    expect(await screen.findByText("Ana Ruiz")).toBeTruthy();
    expect(screen.getByText("Maria Lopez")).toBeTruthy();
  });

  it("links a name to the equipment", async () => {
    await open();
    const link = within(await box()).getByRole("link", { name: "Excavator" });
    expect(link.getAttribute("href")).toBe("/equipment/item/e1");
  });

  it("strikes voided entries through, with the reason", async () => {
    const at = timestampFromDate(new Date("2025-01-06T12:00:00Z"));
    await open([record("v", { voiding: { reason: "One digit too many", by: "Ana Ruiz", at } })]);
    const struck = within(await box())
      .getByText("4,750 → 4,812.5 hours")
      .closest("del");
    expect(struck).not.toBeNull();
    expect(screen.getByText("Voided by Ana Ruiz on Jan 6, 2025: One digit too many")).toBeTruthy();
  });

  it("sorts by when things happened, and has both times of a late entry", async () => {
    const [read, entered] = ["2025-01-05T12:00:00Z", "2025-01-06T12:00:00Z"].map((at) =>
      timestampFromDate(new Date(at)),
    );
    const { orders } = await open([
      record("late", { capturedAt: read, createdAt: entered }),
      record("prompt", { capturedAt: read, createdAt: read }),
    ]);
    const [late, prompt] = await shown();
    expect(orders).toEqual([HistoryOrder.CAPTURED]);
    expect(late).toMatch(/Maria Lopez · Jan 5, 2025.* · entered Jan 6, 2025/);
    expect(prompt).not.toContain("entered");
  });

  it("names the manager who corrected an update", async () => {
    const sent = { reading: 4812.5, unit: MeterUnit.HOURS };
    await open([
      record("m", {
        reading: 4812.5,
        correction: { by: "Dana", sent, setBack: true, reportedEquipmentName: "SS-02" },
      }),
    ]);
    expect((await shown())[0]).toContain(
      "Reported for SS-02 by Maria Lopez, moved by Dana · Set back by Dana",
    );
  });

  it("has an operator's note of a replaced meter in the reader's language", async () => {
    await open([record("n", { content: "Medidor cambiado" })]);
    expect(within(await box()).getByText("Meter replaced")).toBeTruthy();
  });

  it("names an undo", async () => {
    const at = timestampFromDate(new Date("2025-01-06T12:00:00Z"));
    await open([record("v", { voiding: { reason: "UNDONE", undone: true, by: "Ana Ruiz", at } })]);
    await box();
    expect(screen.getByText("Voided by Ana Ruiz on Jan 6, 2025: Decision undone")).toBeTruthy();
  });

  it("names the service task, and shows a late reading", async () => {
    await open([
      record("t", { kind: HistoryKind.SERVICE, taskName: "Oil change" }),
      create(HistoryRecordSchema, {
        id: "l",
        kind: HistoryKind.USAGE,
        unit: MeterUnit.HOURS,
        reading: 4700,
      }),
    ]);
    const area = await box();
    expect(area.textContent).toContain("Service: Oil change");
    expect(area.textContent).toContain("4,700 hours, reported late");
  });
});

describe("the export of all history", () => {
  it("loads everything from the server, and shows 'Export Complete'", async () => {
    await open();
    await box();
    fireEvent.click(screen.getByRole("button", { name: "Export" }));
    await waitFor(() => expect(currentToast()?.title).toBe("Export Complete"));
    const [name, text] = download.mock.calls[0] ?? [];
    expect(name).toMatch(/^equipment-history-all-\d{4}-\d\d-\d\d\.csv$/);
    const [header, first] = (text ?? "").split("\r\n");
    expect(header).toBe(
      "\uFEFFDate,Equipment,Type,Note Type,Operator,Usage,Fuel Added (gal),Fuel Type,Content,Voided,Filled Up,Cost,Unit",
    );
    expect(first).toMatch(
      /^2025-01-0\d \d\d:\d\d,Excavator,Update,Usage update,Maria Lopez,4812.5,12,Diesel,'-ok,"Voided by Ana Ruiz on Jan 6, 2025: typo",,,n\/a$/,
    );
  });

  it("is disabled with the reason while there are no entries", async () => {
    const { rest } = await open([]);
    expect(await screen.findByText("No history yet")).toBeTruthy();
    const button = screen.getByRole("button", { name: "Export" });
    expect(button.getAttribute("aria-disabled")).toBe("true");
    expect(screen.getByText("There is no history to export yet.")).toBeTruthy();
    fireEvent.click(button);
    expect(rest).toEqual([]);
  });
});
