import { createRouterTransport } from "@connectrpc/connect";
import { fireEvent, screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import {
  EquipmentService,
  HistoryKind,
  MeterUnit,
  ServiceStatus,
} from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { OperatorUpdatesService } from "#/api/gen/hourmeter/operator_updates/v1/operator_updates_pb";
import { owner, renderApp, stubRest } from "#/test/render-app";

async function open(path: string, limit = 30) {
  stubRest({ "GET /api/auth/user": { status: 200, body: owner } });
  const transport = createRouterTransport(({ service }) => {
    service(OperatorUpdatesService, { listUpdates: () => ({ pendingCount: 3 }) });
    service(EquipmentService, {
      getSummary: () => ({
        total: 2,
        good: 1,
        overdue: 1,
        stale: 1,
        dueThisWeek: 1,
        outOfService: 0,
        equipmentLimit: limit,
      }),
      listEquipment: ({ status, search, stale }) => {
        const equipment = [
          { id: "b", name: "Excavator", serviceStatus: ServiceStatus.OVERDUE },
          { id: "a", name: "Loader", serviceStatus: ServiceStatus.GOOD },
        ].filter(
          (each) =>
            (!status || each.serviceStatus === status) &&
            (!stale || each.id === "b") &&
            each.name.toLowerCase().includes(search.toLowerCase()),
        );
        return { equipment, matching: equipment.length };
      },
      listHistory: () => ({
        records: [
          {
            id: "h1",
            equipmentName: "Excavator",
            kind: HistoryKind.USAGE,
            operatorName: "Maria Lopez",
            usageBefore: 4750,
            usage: 4812.5,
            unit: MeterUnit.HOURS,
          },
          {
            id: "edit",
            equipmentName: "Loader",
            kind: HistoryKind.EDIT,
            content: "Type: tools → machinery; Lifespan: none → 12000; Description changed",
          },
          {
            id: "service",
            equipmentName: "Loader",
            kind: HistoryKind.SERVICE,
            content: "Oil\nCost: $125.50\nPerformed on 2026-02-03",
          },
        ],
      }),
    });
  });
  const { router } = await renderApp(path, transport);
  await screen.findByRole("table", { name: "Equipment Overview" });
  return router;
}

const tile = (name: RegExp) => screen.getByRole("button", { name });
const shown = () =>
  screen.getAllByRole("row").flatMap((row) => {
    const [first] = within(row).queryAllByRole("cell");
    return first ? [first.textContent] : [];
  });

describe("the dashboard", () => {
  it("counts what is in use", async () => {
    await open("/");
    expect(screen.getByText("2 of 30 pieces of equipment in use")).toBeTruthy();
    expect(tile(/^Overdue/).textContent).toBe("Overdue1");
  });

  it("filters by a tile, which is pressed and in the URL", async () => {
    const router = await open("/");
    fireEvent.click(tile(/^Overdue/));
    await waitFor(() => expect(router.state.location.search).toEqual({ status: "overdue" }));
    expect(tile(/^Overdue/).getAttribute("aria-pressed")).toBe("true");
    await waitFor(() => expect(shown()).toEqual(["Excavatorb"]));
    fireEvent.click(tile(/^Overdue/));
    await waitFor(() => expect(router.state.location.search).toEqual({}));
  });

  it("filters by the tile of machines without a recent reading", async () => {
    const router = await open("/?status=good");
    expect(tile(/^No recent reading/).textContent).toBe("No recent reading1");
    fireEvent.click(tile(/^No recent reading/));
    await waitFor(() => expect(router.state.location.search).toEqual({ stale: true }));
    await waitFor(() => expect(shown()).toEqual(["Excavatorb"]));
    const list = screen.getByRole("link", { name: "Open list" });
    expect(list.getAttribute("href")).toBe("/equipment-list?stale=true");
    fireEvent.click(tile(/^Due within 7 days/));
    await waitFor(() => expect(router.state.location.search).toEqual({ due: 7 }));
    fireEvent.click(tile(/^Out of service/));
    await waitFor(() =>
      expect(router.state.location.search).toEqual({ operational: "out_of_service" }),
    );
    fireEvent.click(tile(/^Total/));
    await waitFor(() => expect(router.state.location.search).toEqual({}));
  });

  it("counts first what needs a decision", async () => {
    await open("/");
    const tiles = screen.getByRole("group", { name: "Equipment by service status" });
    await within(tiles).findByText("3");
    expect(Array.from(tiles.querySelectorAll("a, button"), (each) => each.textContent)).toEqual([
      "Waiting for review3",
      "Overdue1",
      "Due within 7 days1",
      "No recent reading1",
      "Out of service0",
      "Total Equipment2",
      "Service OK1",
      "Service Soon0",
      "Service Due0",
    ]);
    const waiting = within(tiles).getByRole("link");
    expect(waiting.getAttribute("href")).toBe("/review");
  });

  it("accepts the long words of the status", async () => {
    const router = await open("/?status=good&type=nonsense");
    expect(router.state.location.search).toEqual({ status: "good" });
    expect(shown()).toEqual(["Loadera"]);
  });

  it("searches a moment after typing", async () => {
    const router = await open("/");
    const field = screen.getByRole("searchbox", { name: "Search name, unit or serial number" });
    fireEvent.change(field, { target: { value: "exc" } });
    await waitFor(() => expect(router.state.location.search).toEqual({ search: "exc" }));
    await waitFor(() => expect(shown()).toEqual(["Excavatorb"]));
    fireEvent.click(screen.getByRole("link", { name: "Dashboard" }));
    await waitFor(() => expect(field).toHaveProperty("value", ""));
  });

  it("explains why nothing can be added at the limit", async () => {
    const router = await open("/", 2);
    const text = /^Your plan's limit of 2 pieces of equipment is reached/;
    expect(screen.getAllByText(text).length).toBeGreaterThan(0);
    const plans = screen.getByRole("link", { name: "See plans" });
    expect(plans.getAttribute("href")).toBe("/subscription");
    fireEvent.click(screen.getByRole("button", { name: "Add Equipment" }));
    expect(router.state.location.pathname).toBe("/");
  });

  it("shows edits and services in the reader's language", async () => {
    await open("/");
    fireEvent.click(screen.getByRole("button", { name: "ES Español" }));
    const history = await screen.findByRole("region", { name: "Historial de equipos" });
    const edit = await within(history).findByText(/^Tipo de equipo/);
    expect(edit.textContent).toBe(
      [
        "Tipo de equipo: Herramienta → Maquinaria",
        "Vida útil del equipo: ninguno → 12,000",
        "Cambió la descripción",
      ].join("\n"),
    );
    expect(within(history).getByText(/^Oil/).textContent).toBe(
      "Oil\nCosto: $125.50\nRealizado el 3 feb 2026",
    );
  });
});
