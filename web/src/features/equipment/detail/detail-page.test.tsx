import { act, fireEvent, screen, waitFor, within } from "@testing-library/react";
import { Code, ConnectError } from "@connectrpc/connect";
import { describe, expect, it } from "vitest";
import {
  HistoryKind,
  HistoryOrder,
  ServiceStatus,
  type ListHistoryRequest,
} from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { currentToast } from "#/shared/toast/store";
import { refusal } from "#/test/refusal";
import { openDialog } from "#/test/open-dialog";
import { rememberFilter } from "../list/last-filter";
import { day, excavator, id, openDetail, record, world } from "./detail.fixture";

const heading = (name: string) => screen.findByRole("heading", { level: 1, name });

async function chooseAction(name: string) {
  const trigger = await screen.findByRole("button", { name: "Actions for Excavator" });
  fireEvent.keyDown(trigger, { key: "Enter" });
  fireEvent.click(within(await screen.findByRole("menu")).getByRole("menuitem", { name }));
}

describe("the browser's tab", () => {
  it("shows the machine's name, then the next page's title", async () => {
    const { router } = await openDetail(world());
    await waitFor(() => expect(document.title).toBe("Excavator - Equipment Management"));
    await router.navigate({ to: "/settings" });
    await waitFor(() => expect(document.title).toBe("Settings - Equipment Management"));
  });

  it("shows the name of retired equipment too", async () => {
    await openDetail(world({ equipment: null, retired: true }));
    const name = (await screen.findByRole("heading", { level: 1 })).textContent;
    await waitFor(() => expect(document.title).toBe(`${name} - Equipment Management`));
  });
});

describe("active equipment", () => {
  it("shows name, meter and next service first", async () => {
    await openDetail(world());
    await heading("Excavator");
    expect(screen.getByText("Machinery · Diesel · Crew North")).toBeTruthy();
    expect(screen.getAllByText("CAT0320").length).toBeGreaterThan(0);
    expect(screen.getByText("4,812.5 hours")).toBeTruthy();
    expect(screen.getByText("Overdue")).toBeTruthy();
    expect(screen.getByText("Next service: Regular service")).toBeTruthy();
    expect(screen.getByText("overdue by 62.5 hours")).toBeTruthy();
    expect(screen.getByRole("button", { name: "Mark as Serviced" })).toBeTruthy();
    expect(screen.getByRole("link", { name: "Edit" }).getAttribute("href")).toBe(
      `/add-equipment?edit=${id}&from=item`,
    );
  });

  it("names the limit first that is reached first", async () => {
    const equipment = excavator({
      currentUsage: 4600,
      usagePercent: 40,
      remainingUsage: 150,
      serviceStatus: ServiceStatus.APPROACHING_SERVICE,
      hasScheduledMaintenance: true,
      nextMaintenanceDate: "2026-11-23",
      daysUntilMaintenance: 2,
    });
    await openDetail(world({ equipment }));
    const figure = (await screen.findByText("Next service: Regular service")).nextElementSibling;
    expect(figure?.textContent).toMatch(/maintenance in 2 days.*150 hours until service/);
  });

  it("names the more urgent task and links to all tasks", async () => {
    const urgentTask = {
      id: "t1",
      name: "Oil filter",
      status: ServiceStatus.TIME_FOR_SERVICE,
      nextDueUsage: 4810,
    };
    await openDetail(world({ equipment: excavator({ urgentTask, moreTasks: 2 }) }));
    expect(await screen.findByText("Next service: Oil filter")).toBeTruthy();
    expect(screen.getByText("service due at 4,810 · 2.5 hours over")).toBeTruthy();
    fireEvent.click(screen.getByRole("link", { name: "2 more service tasks" }));
    expect(await screen.findByRole("heading", { name: "Service tasks" })).toBeTruthy();
  });

  it("does not count the named task as another one without a regular service", async () => {
    const urgentTask = { id: "t1", name: "Oil", status: ServiceStatus.GOOD, nextDueUsage: 4900 };
    const equipment = excavator({ urgentTask, moreTasks: 2, serviceInterval: 0 });
    await openDetail(world({ equipment }));
    expect(await screen.findByRole("link", { name: "1 more service task" })).toBeTruthy();
  });

  it("shows the lifespan and its alert", async () => {
    const equipment = excavator({
      threshold: 6000,
      lifespanPercent: 80.2,
      lifespanAlert: true,
      alertThreshold: 20,
    });
    await openDetail(world({ equipment }));
    expect(await screen.findByText("80% used")).toBeTruthy();
    expect(screen.getByText("4,812.5 of 6,000 hours")).toBeTruthy();
    expect(screen.getByText("Past the alert at 80% of its lifespan")).toBeTruthy();
  });

  it("offers Mark as Serviced with service tasks only", async () => {
    await openDetail(world({ equipment: excavator({ serviceInterval: 0, moreTasks: 1 }) }));
    expect(await screen.findByRole("button", { name: "Mark as Serviced" })).toBeTruthy();
  });

  it("offers Mark as Serviced only with an interval or a schedule", async () => {
    const { usagePercent: _, ...equipment } = excavator({ serviceInterval: 0 });
    await openDetail(world({ equipment }));
    expect(await screen.findByText("No schedule")).toBeTruthy();
    expect(screen.queryByRole("button", { name: "Mark as Serviced" })).toBeNull();
  });

  it("keeps the open tab in the URL", async () => {
    const { router } = await openDetail(world(), "?tab=notes");
    const tab = await screen.findByRole("tab", { name: "Notes", selected: true });
    expect(await screen.findByText("No notes yet")).toBeTruthy();
    fireEvent.keyDown(tab, { key: "ArrowRight" });
    fireEvent.keyDown(screen.getByRole("tab", { name: "Service" }), { key: "Enter" });
    await screen.findByRole("heading", { name: "Service tasks" });
    expect(router.state.location.search).toEqual({ tab: "service" });
    fireEvent.mouseDown(screen.getByRole("tab", { name: "Overview" }));
    await screen.findByRole("heading", { name: "Usage trend" });
    expect(router.state.location.search).toEqual({});
  });

  it("opens the overview if the URL names no existing tab", async () => {
    await openDetail(world(), "?tab=boat&kind=fish");
    expect(await screen.findByRole("tab", { name: "Overview", selected: true })).toBeTruthy();
  });

  it("draws the readings, describes them in text, and forecasts the next service", async () => {
    const usage = (name: string, date: string, after: number) =>
      record({ id: name, usage: after, createdAt: day(date) });
    await openDetail(
      world({
        equipment: excavator({
          currentUsage: 4700,
          projectedDueDate: "2099-12-09",
          projectedDueEarliest: "2099-12-05",
          projectedDueLatest: "2099-12-20",
          projectedDueTask: { name: "", remainingUsage: 50 },
        }),
        records: [usage("b", "2026-11-20", 4700), usage("a", "2026-11-10", 4600)],
      }),
    );
    expect(
      await screen.findByRole("img", {
        name: "Meter readings from Nov 10, 2026 to Nov 20, 2026: from 4,600 hours to 4,700 hours.",
      }),
    ).toBeTruthy();
    expect(screen.getByText("About 10 hours a day.")).toBeTruthy();
    expect(
      screen.getByText("At this pace, Regular service is due around Dec 9, 2099."),
    ).toBeTruthy();
    expect(screen.getByText(/^Between Dec 5, 2099 and Dec 20, 2099/)).toBeTruthy();
    const table = within(screen.getByRole("tabpanel")).getAllByRole("table", { hidden: true });
    expect(table[0]?.textContent).toContain("Nov 20, 2026");
  });

  it("names only the day of a forecast without a range", async () => {
    await openDetail(
      world({
        equipment: excavator({
          projectedDueDate: "2099-12-09",
          projectedDueEarliest: "2099-12-09",
          projectedDueLatest: "2099-12-09",
          projectedDueTask: { name: "", remainingUsage: 50 },
        }),
      }),
    );
    expect(await screen.findByText(/days, Dec 9, 2099$/)).toBeTruthy();
    expect(screen.getByText("From its usual use.")).toBeTruthy();
    expect(screen.queryByText(/Between/)).toBeNull();
  });

  it.each([false, true])(
    "says until when the next task is snoozed instead of a forecast (by calendar: %s)",
    async (byCalendar) => {
      const snooze = { untilDate: "2099-12-09" };
      const usage = (name: string, date: string, after: number) =>
        record({ id: name, usage: after, createdAt: day(date) });
      await openDetail(
        world({
          equipment: excavator({
            projectedDueDate: "2099-12-09",
            projectedDueEarliest: "2099-12-09",
            projectedDueLatest: "2099-12-09",
            projectedDueTask: { id: "t0", name: "", remainingUsage: 50, byCalendar },
            snoozedTasks: [{ id: "t0", name: "", snooze }],
          }),
          records: [usage("b", "2026-11-20", 4700), usage("a", "2026-11-10", 4600)],
        }),
      );
      expect(await screen.findByText("Snoozed until Dec 9, 2099")).toBeTruthy();
      expect(await screen.findByText("About 10 hours a day.")).toBeTruthy();
      expect(screen.queryByText(/usual use|At this pace|In about/i)).toBeNull();
    },
  );

  it("says about when a task that is snoozed until a usage counts again", async () => {
    await openDetail(
      world({
        equipment: excavator({
          currentUsage: 4700,
          projectedDueDate: "2099-12-09",
          projectedDueEarliest: "2099-12-08",
          projectedDueLatest: "2099-12-10",
          projectedDueTask: { id: "t0", name: "", remainingUsage: 50 },
          snoozedTasks: [{ id: "t0", name: "", snooze: { untilUsage: 4760 } }],
        }),
      }),
    );
    expect(await screen.findByText("Snoozed until about Dec 9, 2099")).toBeTruthy();
    expect(screen.queryByText(/usual use|In about/i)).toBeNull();
  });

  it("limits the chart to a period, which is in the URL, and counts the services in it", async () => {
    const ago = (days: number) =>
      day(new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10));
    const usage = (name: string, days: number, after: number) =>
      record({ id: name, usage: after, createdAt: ago(days) });
    const service = (id: string, days: number) =>
      record({ id, kind: HistoryKind.SERVICE, createdAt: ago(days) });
    // A service after the last reading counts too.
    const records = [
      service("t", 1),
      usage("c", 2, 4700),
      service("s", 5),
      usage("b", 10, 4650),
      usage("a", 200, 100),
    ];
    const { router } = await openDetail(world({ records }));
    await screen.findByRole("img", { name: /from 100 hours to 4,700 hours/ });
    fireEvent.click(screen.getByRole("radio", { name: "30 d" }));
    await screen.findByRole("img", { name: /from 4,650 hours to 4,700 hours/ });
    expect(screen.getByText("2 services")).toBeTruthy();
    expect(router.state.location.search).toEqual({ range: "30d" });
  });

  it("lists facts, parts, latest notes, and latest history by the time when it happened", async () => {
    const requests: ListHistoryRequest[] = [];
    await openDetail(
      world({
        onHistory: (request) => requests.push(request),
        equipment: excavator({
          description: "Left track squeaks",
          serviceParts: [{ part: "Oil filter", partNumber: "1R-0739", quantity: 2 }],
        }),
        notes: [{ id: "n1", content: "Order teeth", authorName: "Ana" }],
        records: [record({ kind: HistoryKind.EDIT, content: "Fuel type: n/a → diesel" })],
      }),
    );
    expect(await screen.findByText("Left track squeaks")).toBeTruthy();
    expect(screen.getByText("1R-0739")).toBeTruthy();
    expect(await screen.findByText("Order teeth")).toBeTruthy();
    expect(await screen.findByText("Fuel Type: n/a → Diesel")).toBeTruthy();
    expect(requests.find(({ kinds }) => kinds.length === 0)?.order).toBe(HistoryOrder.CAPTURED);
    expect(screen.getByText("4,750 hours")).toBeTruthy();
  });

  it("updates usage through the same dialog as the lists", async () => {
    const state = world();
    await openDetail(state);
    fireEvent.click(await screen.findByRole("button", { name: "Update Usage" }));
    const dialog = within(screen.getByRole("dialog"));
    fireEvent.change(dialog.getByRole("textbox", { name: "Usage increase" }), {
      target: { value: "8" },
    });
    fireEvent.click(dialog.getByRole("button", { name: "Update Usage" }));
    await waitFor(() => expect(currentToast()?.title).toBe("Usage Updated"));
    expect(state.calls[0]).toMatchObject(["usage", { id, usageIncrease: 8 }]);
  });

  it("confirms a deletion and goes to the list", async () => {
    await openDetail(world());
    await chooseAction("Retire or delete…");
    const dialog = within(screen.getByRole("dialog"));
    fireEvent.click(dialog.getByRole("radio", { name: /Delete permanently/ }));
    await waitFor(() => expect(dialog.queryByText(/^Looking for/)).toBeNull());
    fireEvent.click(dialog.getByRole("button", { name: "Delete permanently" }));
    fireEvent.click(
      (await openDialog(undefined, "alertdialog")).getByRole("button", {
        name: "Delete permanently",
      }),
    );
    await heading("Equipment Deleted");
    expect(
      within(screen.getByRole("main")).getByRole("link", { name: "Equipment List" }),
    ).toBeTruthy();
  });
});

it("leads back to the list as it was", async () => {
  rememberFilter({ type: "machinery" });
  await openDetail(world());
  const main = within(await screen.findByRole("main"));
  const back = await main.findByRole("link", { name: "Equipment List" });
  expect(back.getAttribute("href")).toBe("/equipment-list?type=machinery");
  rememberFilter({});
});

describe("equipment that can't be shown", () => {
  it("is the 404 page for an unknown id, without a search in the archive", async () => {
    const state = world({ equipment: null });
    await openDetail(state);
    await heading("Page not found");
    expect(state.archiveSearches).toBe(0);
    expect(screen.getByRole("link", { name: "Go to Dashboard" })).toBeTruthy();
  });

  it("is known to be deleted, without a search in the archive", async () => {
    const state = world({ retired: true });
    Object.defineProperty(state, "equipment", {
      get: () => {
        throw refusal(Code.NotFound, "EQUIPMENT_DELETED");
      },
    });
    await openDetail(state);
    await heading("Equipment Deleted");
    expect(screen.queryByText("404")).toBeNull();
  });

  it("shows the reason and a retry when the server fails", async () => {
    const state = world();
    let down = true;
    Object.defineProperty(state, "equipment", {
      get: () => {
        if (down) throw new ConnectError("The disk is full.", Code.Internal);
        return excavator();
      },
    });
    await openDetail(state);
    expect(await screen.findByText("The disk is full.")).toBeTruthy();
    down = false;
    fireEvent.click(screen.getByRole("button", { name: "Try again" }));
    await heading("Excavator");
  });
});

describe("retired equipment", () => {
  it("shows when, by whom and why it was retired, and is read-only", async () => {
    const records = [record({ usage: 9120.4, usageBefore: 9100 })];
    await openDetail(world({ equipment: null, retired: true, records }), "?tab=history");
    await heading("Excavator");
    expect(screen.getByText("Retired on Nov 8, 2026 by Ana Ruiz")).toBeTruthy();
    expect(screen.getByText("Sold to Garza.")).toBeTruthy();
    expect(screen.getByText("9,120.4 hours")).toBeTruthy();
    expect(screen.getAllByRole("tab").map((tab) => tab.textContent)).toEqual([
      "Overview",
      "History",
      "Notes",
    ]);
    expect(await screen.findByText("9,100 → 9,120.4 hours (+20.4 h)")).toBeTruthy();
    expect(screen.queryByRole("button", { name: /^Void/ })).toBeNull();
    expect(screen.queryByRole("button", { name: "Update Usage" })).toBeNull();
  });

  it("opens the overview if the URL names a tab that only active equipment has", async () => {
    await openDetail(world({ equipment: null, retired: true }), "?tab=fuel");
    expect(await screen.findByRole("tab", { name: "Overview", selected: true })).toBeTruthy();
  });

  it("is restored by the id of its archive row, and the page shows it active", async () => {
    const state = world({ equipment: null, retired: true });
    await openDetail(state);
    fireEvent.click(await screen.findByRole("button", { name: "Restore" }));
    fireEvent.click(
      within(screen.getByRole("alertdialog")).getByRole("button", { name: "Restore" }),
    );
    expect(await screen.findByRole("button", { name: "Update Usage" })).toBeTruthy();
    expect(state.calls).toEqual([["restore", { id: "a1" }]]);
    expect(currentToast()?.title).toBe("Equipment restored");
  });

  it("keeps its open dialog while the page's data are loaded again", async () => {
    const state = world({ equipment: null, retired: true });
    const { queryClient } = await openDetail(state);
    fireEvent.click(await screen.findByRole("button", { name: "Restore" }));
    const dialog = screen.getByRole("alertdialog");
    const { promise, resolve } = Promise.withResolvers<void>();
    state.loaded = promise;
    const loading = queryClient.invalidateQueries();
    await act(() => new Promise((done) => setTimeout(done, 20)));
    expect(screen.getByRole("alertdialog")).toBe(dialog);
    resolve();
    await act(() => loading);
    expect(screen.getByRole("alertdialog")).toBe(dialog);
  });

  it("shows the plan's limit in words, once", async () => {
    const state = world({ equipment: null, retired: true });
    state.refusal = refusal(Code.PermissionDenied, "EQUIPMENT_LIMIT_REACHED");
    await openDetail(state);
    fireEvent.click(await screen.findByRole("button", { name: "Restore" }));
    fireEvent.click(
      within(screen.getByRole("alertdialog")).getByRole("button", { name: "Restore" }),
    );
    expect(await screen.findAllByText(/Your plan's equipment limit is reached/)).toHaveLength(1);
    expect(currentToast()).toBeNull();
  });
});
