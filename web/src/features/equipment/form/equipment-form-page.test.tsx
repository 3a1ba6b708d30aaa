import { clone, create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError, createRouterTransport } from "@connectrpc/connect";
import { act, fireEvent, screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { AccountsService } from "#/api/gen/hourmeter/accounts/v1/accounts_pb";
import { BillingService } from "#/api/gen/hourmeter/billing/v1/billing_pb";
import {
  EquipmentSchema,
  EquipmentService,
  EquipmentType,
  HistoryKind,
  MeterUnit,
  ServiceStatus,
  UrgentTaskSchema,
  type Equipment,
  type EquipmentInput,
} from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { currentToast } from "#/shared/toast/store";
import { expectFormError } from "#/test/form-error";
import { owner, renderApp, stubRest } from "#/test/render-app";
import { refusal } from "#/test/refusal";
import { openDialog } from "#/test/open-dialog";

const excavator = create(EquipmentSchema, {
  id: "e1",
  name: "Excavator",
  type: EquipmentType.MACHINERY,
  unit: MeterUnit.HOURS,
  currentUsage: 4812.5,
  meterReading: 4812.5,
  alertThreshold: 20,
  version: 3n,
});

/** The fields that were sent, with their values. */
function set(input: EquipmentInput | undefined): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(input ?? {}).filter(
      // A flag is never absent.
      ([name, value]) =>
        name !== "$typeName" && name !== "clearLastServiceUsage" && value !== undefined,
    ),
  );
}

/** The excavator after someone else has saved. */
function saved(more: Partial<Equipment>): Equipment {
  return Object.assign(clone(EquipmentSchema, excavator), { version: 4n }, more);
}

async function open(
  path: string,
  { partsEntry = false, total = 1, limit = 15, piece = excavator } = {},
) {
  stubRest({ "GET /api/auth/user": { status: 200, body: owner } });
  const calls: unknown[] = [];
  const state = {
    refuse: null as ConnectError | null,
    stored: piece as Equipment | null,
    retiredBy: null as string | null,
  };
  const transport = createRouterTransport(({ service }) => {
    service(AccountsService, { getCompanySettings: () => ({ settings: { timeZone: "UTC" } }) });
    service(BillingService, {
      getSubscription: () => ({ subscription: { entitlements: { partsEntry } } }),
    });
    service(EquipmentService, {
      getSummary: () => ({ total, equipmentLimit: limit, groups: ["Crew North", "Site 12"] }),
      listEquipment: () => ({ equipment: [excavator] }),
      listHistory: ({ kinds }) =>
        kinds.length === 0
          ? {}
          : {
              records: [
                {
                  id: "h1",
                  kind: HistoryKind.EDIT,
                  operatorName: "Dana Whitfield",
                  createdAt: timestampFromDate(new Date("2026-01-05T12:00:00Z")),
                },
              ],
            },
      getEquipment: ({ id }) => {
        if (id !== "e1" || !state.stored) throw new ConnectError("Not found", Code.NotFound);
        return { equipment: state.stored };
      },
      getRetired: () => {
        if (!state.retiredBy) throw new ConnectError("Not found", Code.NotFound);
        return { retired: { retiredBy: state.retiredBy } };
      },
      createEquipment: ({ equipment }) => {
        calls.push(["create", equipment?.name, equipment?.type]);
        if (state.refuse) throw state.refuse;
        const warning = { code: "SAME_NAME", parameters: { name: excavator.name } };
        const isSame = equipment?.name?.toLowerCase() === excavator.name.toLowerCase();
        return { equipment: excavator, warnings: isSame ? [warning] : [] };
      },
      updateEquipment: ({ equipment, expectedVersion }) => {
        calls.push(["update", set(equipment), expectedVersion]);
        if (state.refuse) throw state.refuse;
        if (!state.stored) throw new ConnectError("Not found", Code.NotFound);
        if (expectedVersion !== state.stored.version) throw refusal(Code.Aborted, "STALE");
        return { equipment: state.stored };
      },
    });
  });
  const app = await renderApp(path, transport);
  return { calls, state, router: app.router };
}

const type = (name: RegExp, value: string) =>
  fireEvent.change(screen.getByLabelText(name), { target: { value } });
const press = (name: string) => fireEvent.click(screen.getByRole("button", { name }));
const named = (name: string) => screen.findByRole("heading", { level: 1, name });

describe("adding", () => {
  it("names the page, adds and goes to the dashboard", async () => {
    const { calls, router } = await open("/add-equipment");
    await named("Add Equipment");
    await waitFor(() => expect(document.title).toBe("Add Equipment - Equipment Management"));
    type(/^Equipment Name/, "Saw");
    type(/^Equipment Type/, "tools");
    type(/^Measurement Unit/, "hours");
    press("Add Equipment");
    press("Add Equipment");
    await named("Dashboard");
    expect(calls).toEqual([["create", "Saw", EquipmentType.TOOLS]]);
    expect(router.state.location.pathname).toBe("/");
    expect(currentToast()?.title).toBe("Equipment Added");
    expect(currentToast()?.action?.label).toBe("Show it");
    act(() => currentToast()?.action?.run());
    await waitFor(() => expect(router.state.location.pathname).toBe("/equipment/item/e1"));
  });

  it("returns to the page that opened the form", async () => {
    const { router } = await open("/equipment-list");
    await named("Equipment List");
    await act(() => router.navigate({ to: "/add-equipment" }));
    await named("Add Equipment");
    press("Cancel");
    await waitFor(() => expect(router.state.location.pathname).toBe("/equipment-list"));
  });

  it("returns to the machine's page after an edit that began there", async () => {
    const { router } = await open("/add-equipment?edit=e1&from=item");
    await screen.findByLabelText(/^Equipment Name/);
    type(/^Equipment Name/, "Excavator 2");
    press("Update Equipment");
    await waitFor(() => expect(router.state.location.pathname).toBe("/equipment/item/e1"));
  });

  it("goes back to the machine's page without an edit", async () => {
    const { router } = await open("/add-equipment?edit=e1&from=item");
    await screen.findByLabelText(/^Equipment Name/);
    press("Back to the machine");
    await waitFor(() => expect(router.state.location.pathname).toBe("/equipment/item/e1"));
  });

  it("proposes unit and fuel from the type, except where one was chosen", async () => {
    await open("/add-equipment");
    await named("Add Equipment");
    const value = (label: RegExp) => screen.getByLabelText<HTMLSelectElement>(label).value;
    type(/^Equipment Type/, "machinery");
    expect([value(/^Measurement Unit/), value(/^Fuel Type/)]).toEqual(["hours", "diesel"]);
    type(/^Equipment Type/, "vehicle");
    expect([value(/^Measurement Unit/), value(/^Fuel Type/)]).toEqual(["miles", "n/a"]);
    type(/^Measurement Unit/, "hours");
    type(/^Equipment Type/, "vehicle");
    expect(value(/^Measurement Unit/)).toBe("hours");
  });

  it("fills in a usual interval, saves and begins the next machine of this kind", async () => {
    const { calls, router } = await open("/add-equipment");
    await named("Add Equipment");
    type(/^Equipment Name/, "Loader");
    type(/^Equipment Type/, "machinery");
    press("250");
    press("Save and add another");
    await waitFor(() => expect(calls).toEqual([["create", "Loader", EquipmentType.MACHINERY]]));
    const name = screen.getByLabelText<HTMLInputElement>(/^Equipment Name/);
    await waitFor(() => expect(name.value).toBe(""));
    expect(document.activeElement).toBe(name);
    expect(screen.getByLabelText<HTMLInputElement>(/^Service Interval/).value).toBe("250");
    expect(router.state.location.pathname).toBe("/add-equipment");
  });

  it("keeps group and fuel for the next machine, and clears an interval of another unit", async () => {
    const { calls } = await open("/add-equipment");
    await named("Add Equipment");
    const value = (label: RegExp) => screen.getByLabelText<HTMLInputElement>(label).value;
    type(/^Equipment Name/, "Loader");
    type(/^Equipment Type/, "machinery");
    type(/^Group/, "Crew North");
    press("250");
    press("Save and add another");
    await waitFor(() => expect(calls).toHaveLength(1));
    await waitFor(() => expect(value(/^Equipment Name/)).toBe(""));
    type(/^Equipment Type/, "vehicle");
    expect([value(/^Measurement Unit/), value(/^Fuel Type/), value(/^Group/)]).toEqual([
      "miles",
      "diesel",
      "Crew North",
    ]);
    expect(value(/^Service Interval/)).toBe("");
    press("5,000");
    type(/^Equipment Type/, "vehicle");
    expect(value(/^Service Interval/)).toBe("5000");
  });

  it("keeps an interval of the previous machine only in its unit, and a typed one in any", async () => {
    const { calls } = await open("/add-equipment");
    await named("Add Equipment");
    const interval = () => screen.getByLabelText<HTMLInputElement>(/^Service Interval/).value;
    type(/^Equipment Name/, "Pickup");
    type(/^Equipment Type/, "vehicle");
    press("5,000");
    type(/^Measurement Unit/, "kilometers");
    expect(interval()).toBe("5000");
    press("Save and add another");
    await waitFor(() => expect(calls).toHaveLength(1));
    await waitFor(() =>
      expect(screen.getByLabelText(/^Equipment Name/)).toHaveProperty("value", ""),
    );
    type(/^Equipment Type/, "tools");
    expect(interval()).toBe("5000");
    type(/^Measurement Unit/, "n/a");
    expect(interval()).toBe("");
    type(/^Service Interval/, "5000");
    type(/^Measurement Unit/, "hours");
    expect(interval()).toBe("5000");
  });

  it("folds what a new machine does not need, and opens it at an error", async () => {
    await open("/add-equipment");
    await named("Add Equipment");
    const fold = screen.getByLabelText(/^Equipment Lifespan/).closest("details");
    expect(fold?.open).toBe(false);
    type(/^Equipment Lifespan/, "0.5");
    press("Add Equipment");
    await waitFor(() => expect(fold?.open).toBe(true));
  });

  it("shows each error at its field, focuses the first, and keeps typed values", async () => {
    const { calls } = await open("/add-equipment");
    await named("Add Equipment");
    press("Add Equipment");
    const name = screen.getByLabelText(/^Equipment Name/);
    await waitFor(() => expect(document.activeElement).toBe(name));
    const described = (name.getAttribute("aria-describedby") ?? "").split(" ");
    const notes = described.map((id) => document.getElementById(id)?.textContent);
    expect(notes).toContain("Equipment name is required");
    expect(screen.getByText("Equipment type is required")).toBeTruthy();
    expect(screen.getByText("Measurement unit is required")).toBeTruthy();
    type(/^Current Usage/, "-1");
    type(/^Equipment Lifespan/, "0.5");
    type(/^Service Interval/, "2.5");
    type(/^Last Serviced/, "1.234");
    fireEvent.click(screen.getByRole("checkbox", { name: "Scheduled Maintenance" }));
    press("Add Equipment");
    for (const text of [
      "Enter a number of 0 or more",
      "Enter a number of 1 or more",
      "Enter a whole number of 0 or more",
      "Use at most two decimals, as in 12.75",
      "Maintenance start date is required when scheduled maintenance is enabled",
      "Maintenance interval is required when scheduled maintenance is enabled",
    ]) {
      expect(await screen.findByText(text)).toBeTruthy();
    }
    expect(screen.getByLabelText(/^Current Usage/)).toHaveProperty("value", "-1");
    expect(calls).toEqual([]);
  });

  it("says in words that the plan's limit is reached", async () => {
    await open("/add-equipment", { total: 15 });
    await named("Add Equipment");
    const text = /Your plan's limit of 15 pieces of equipment is reached/;
    const notice = await screen.findByRole("alert");
    expect(notice.textContent).toMatch(text);
    const plans = within(notice).getByRole("link", { name: "See plans" });
    expect(plans.getAttribute("href")).toBe("/subscription");
    const submit = screen.getByRole("button", { name: "Add Equipment" });
    expect(submit.getAttribute("aria-disabled")).toBe("true");
  });

  it("shows the server's refusal at the limit and keeps typed values", async () => {
    const { state } = await open("/add-equipment");
    await named("Add Equipment");
    state.refuse = refusal(Code.PermissionDenied, "EQUIPMENT_LIMIT_REACHED");
    type(/^Equipment Name/, "Saw");
    type(/^Equipment Type/, "tools");
    type(/^Measurement Unit/, "hours");
    press("Add Equipment");
    await expectFormError(/equipment limit is reached/);
    expect(currentToast()?.title).toBe("Error");
    expect(screen.getByLabelText(/^Equipment Name/)).toHaveProperty("value", "Saw");
  });

  it("asks before typed values are lost", async () => {
    const { router } = await open("/add-equipment");
    await named("Add Equipment");
    type(/^Equipment Name/, "Saw");
    press("Back to Dashboard");
    const question = await screen.findByRole("alertdialog", { name: "Leave without saving?" });
    fireEvent.click(within(question).getByRole("button", { name: "Stay here" }));
    await waitFor(() => expect(screen.queryByRole("alertdialog")).toBeNull());
    expect(router.state.location.pathname).toBe("/add-equipment");
    press("Cancel");
    const again = await screen.findByRole("alertdialog");
    fireEvent.click(within(again).getByRole("button", { name: "Leave" }));
    await named("Dashboard");
  });
});

describe("duplicates", () => {
  it("warns of another machine with the same name or number, without refusing it", async () => {
    const { calls } = await open("/add-equipment");
    await named("Add Equipment");
    type(/^Equipment Name/, "excavator ");
    expect(await screen.findByText("There is already equipment named Excavator.")).toBeTruthy();
    type(/^Equipment Type/, "tools");
    type(/^Measurement Unit/, "hours");
    press("Add Equipment");
    await named("Dashboard");
    expect(calls).toHaveLength(1);
    expect(currentToast()?.description).toContain("There is already equipment named Excavator.");
  });

  it("does not warn of the machine itself", async () => {
    await open("/add-equipment?edit=e1");
    await screen.findByLabelText(/^Equipment Name/);
    type(/^Equipment Name/, "EXCAVATOR");
    await new Promise((resolve) => {
      setTimeout(resolve, 600);
    });
    expect(screen.queryByText(/There is already equipment named/)).toBeNull();
  });
});

describe("another unit", () => {
  it("is confirmed with the figures in the new unit", async () => {
    const { calls } = await open("/add-equipment?edit=e1");
    await screen.findByLabelText(/^Measurement Unit/);
    type(/^Measurement Unit/, "miles");
    press("Update Equipment");
    const dialog = await openDialog(/in miles\?$/);
    expect(dialog.getByText(/Figures so far stay in hours/)).toBeTruthy();
    expect(calls).toEqual([]);
    fireEvent.change(dialog.getByLabelText(/^Current Usage/), { target: { value: "98,904" } });
    fireEvent.change(dialog.getByLabelText(/^Service Interval/), { target: { value: "5000" } });
    fireEvent.click(dialog.getByRole("button", { name: "Save in the new unit" }));
    await waitFor(() => expect(currentToast()?.title).toBe("Equipment Updated"));
    expect(calls).toEqual([
      [
        "update",
        expect.objectContaining({
          unit: MeterUnit.MILES,
          meterReading: 98904,
          serviceInterval: 5000,
          lastServiceUsage: 0,
        }),
        3n,
      ],
    ]);
  });
});

describe("scheduled maintenance", () => {
  it("opens its fields, takes digits only, previews the date, and clears when turned off", async () => {
    await open("/add-equipment");
    await named("Add Equipment");
    expect(screen.queryByLabelText("Starting Date")).toBeNull();
    const toggle = screen.getByRole("checkbox", { name: "Scheduled Maintenance" });
    fireEvent.click(toggle);
    type(/^Starting Date/, "2199-08-31");
    type(/^Interval/, "3 months");
    expect(screen.getByLabelText("Interval")).toHaveProperty("value", "3");
    expect(await screen.findByText("Nov 30, 2199")).toBeTruthy();
    fireEvent.click(toggle);
    fireEvent.click(toggle);
    expect(screen.getByLabelText("Interval")).toHaveProperty("value", "");
    expect(screen.getByLabelText("Starting Date")).toHaveProperty("value", "");
  });
});

it.each([
  ["", "", "No reading yet"],
  ["4000", "", "4,250"],
  ["4000", "4000", "4,250"],
  ["4000", "9999", "No schedule"],
  ["1000000000", "", "1,000,000,250"],
  ["1000000001", "", "No schedule"],
])("previews usage %j and last service %j as due at: %s", async (usage, last, due) => {
  await open("/add-equipment");
  await named("Add Equipment");
  type(/^Service Interval/, "250");
  type(/^Current Usage/, usage);
  type(/^Last Serviced/, last);
  const label = screen.getByText("Next service due at");
  await waitFor(() => expect(label.nextElementSibling?.textContent).toContain(due));
});

describe("the alert threshold", () => {
  it("offers 90%, 85%, 80% and 75% of the lifespan, and begins with 80%", async () => {
    await open("/add-equipment");
    await named("Add Equipment");
    const field = screen.getByLabelText<HTMLSelectElement>(/^Alert Threshold/);
    const options = within(field).getAllByRole("option");
    expect(options.map((option) => option.textContent)).toEqual([
      "90% of lifespan",
      "85% of lifespan",
      "80% of lifespan",
      "75% of lifespan",
    ]);
    expect(field.value).toBe("20");
  });
});

describe("service parts", () => {
  it("explain what the plan lacks", async () => {
    await open("/add-equipment");
    await named("Add Equipment");
    const upgrade =
      "Unlock parts entry functionality to track service parts, part numbers, and quantities for detailed maintenance records.";
    expect(await screen.findByText(upgrade)).toBeTruthy();
    expect(screen.getByText("Premium")).toBeTruthy();
    const link = screen.getByRole("link", { name: "Upgrade" });
    expect(link.getAttribute("href")).toBe("/subscription");
    expect(screen.queryByRole("button", { name: "Add Part" })).toBeNull();
  });

  it("keep one row at least, and one Add Part", async () => {
    await open("/add-equipment", { partsEntry: true });
    await named("Add Equipment");
    fireEvent.click(await screen.findByRole("button", { name: "Add Part" }));
    expect(screen.queryByText("Premium")).toBeNull();
    expect(screen.getAllByRole("group", { name: /^Part \d/ })).toHaveLength(2);
    expect(screen.getAllByRole("button", { name: "Add Part" })).toHaveLength(1);
    press("Remove part 2");
    press("Remove part 1");
    expect(screen.getAllByRole("group", { name: /^Part \d/ })).toHaveLength(1);
  });
});

describe("editing", () => {
  it("is also reached by /add, and loads the equipment", async () => {
    const { router } = await open("/add?edit=e1");
    await named("Edit Equipment");
    expect(router.state.location.href).toBe("/add-equipment?edit=e1");
    expect(await screen.findByLabelText(/^Equipment Name/)).toHaveProperty("value", "Excavator");
    await waitFor(() => expect(document.title).toBe("Edit Equipment - Equipment Management"));
  });

  it("goes to the list afterwards, sending only what changed", async () => {
    const { calls, router } = await open("/add-equipment?edit=e1");
    await screen.findByLabelText(/^Equipment Name/);
    type(/^Equipment Name/, "Digger");
    press("Update Equipment");
    await waitFor(() => expect(router.state.location.pathname).toBe("/equipment-list"));
    expect(calls).toEqual([["update", { name: "Digger" }, 3n]]);
    expect(currentToast()).toMatchObject({
      title: "Equipment Updated",
      description: "Digger was saved.",
    });
  });

  it("shows a failure with its default text", async () => {
    const { state } = await open("/add-equipment?edit=e1");
    await screen.findByLabelText(/^Equipment Name/);
    state.refuse = new ConnectError("", Code.Internal);
    press("Update Equipment");
    await waitFor(() => expect(currentToast()?.title).toBe("Error"));
    expect(currentToast()?.description).toBe("Failed to update equipment. Please try again.");
  });

  it("links to other service tasks and names the most urgent one", async () => {
    const piece = saved({ moreTasks: 2 });
    piece.urgentTask = create(UrgentTaskSchema, {
      name: "Hydraulics",
      status: ServiceStatus.OVERDUE,
    });
    await open("/add-equipment?edit=e1", { piece });
    expect(await screen.findByText(/has 2 more service tasks/)).toBeTruthy();
    expect(screen.getByText(/Most urgent: Hydraulics/).textContent).toContain("Overdue");
    const link = screen.getByRole("link", { name: "See all service tasks" });
    expect(link.getAttribute("href")).toBe("/equipment/item/e1?tab=service");
  });

  it("shows when the equipment can't be loaded", async () => {
    await open("/add-equipment?edit=e9");
    const text = "Unable to load equipment. Please make sure you are logged in properly.";
    expect(await screen.findByText(text)).toBeTruthy();
  });
});

describe("two people editing (STALE)", () => {
  const begin = async () => {
    const app = await open("/add-equipment?edit=e1");
    await screen.findByLabelText(/^Equipment Name/);
    return app;
  };
  const conflict = () =>
    screen.findByRole("region", {
      name: "Someone else changed this equipment while you were editing it.",
    });
  const shownName = () => screen.getByLabelText<HTMLInputElement>(/^Equipment Name/).value;

  it("merges changes of different fields automatically, and says so", async () => {
    const { calls, state, router } = await begin();
    state.stored = saved({ currentUsage: 4820, meterReading: 4820 });
    type(/^Equipment Name/, "Digger");
    press("Update Equipment");
    await waitFor(() => expect(router.state.location.pathname).toBe("/equipment-list"));
    expect(calls).toEqual([
      ["update", { name: "Digger" }, 3n],
      ["update", { name: "Digger" }, 4n],
    ]);
    expect(currentToast()?.description).toBe(
      "Digger was saved. Includes changes by Dana Whitfield: Current Usage.",
    );
  });

  it("accepts a meter replaced in the meantime, and asks about a reading typed for the old one", async () => {
    const { calls, state } = await begin();
    state.stored = saved({ currentUsage: 4820, meterReading: 3 });
    type(/^Current Usage/, "4815");
    press("Update Equipment");
    const panel = await conflict();
    const field = within(panel).getByRole("group", { name: "Current Usage" });
    expect(field.textContent).toMatch(/4,812.5 hours.*3 hours.*4,815 hours/);
    fireEvent.click(within(field).getByRole("radio", { name: /^Theirs/ }));
    type(/^Current Usage/, "4");
    press("Update Equipment");
    await waitFor(() => expect(calls).toHaveLength(2));
    expect(calls[1]).toEqual(["update", { meterReading: 4 }, 4n]);
  });

  it("shows both changes of one field, who made them and when, and saves the choice on the new version", async () => {
    const { calls, state, router } = await begin();
    state.stored = saved({ name: "CAT 320", currentUsage: 4820, meterReading: 4820 });
    type(/^Equipment Name/, "Digger");
    press("Update Equipment");
    const panel = await conflict();
    expect(document.activeElement).toBe(panel);
    expect(panel.textContent).toContain("Dana Whitfield (Jan 5, 2026");
    expect(panel.textContent).toContain("Current Usage: 4,812.5 hours → 4,820 hours");
    const field = within(panel).getByRole("group", { name: "Equipment Name" });
    expect(field.textContent).toMatch(/Excavator.*CAT 320.*Digger/);
    expect(currentToast()?.title).toBe("Error");
    // Typed values are kept, their other changes are merged, and nothing is sent before the choice.
    expect(shownName()).toBe("Digger");
    expect(screen.getByLabelText(/^Current Usage/)).toHaveProperty("value", "4820");
    press("Update Equipment");
    expect(calls).toHaveLength(1);
    fireEvent.click(within(field).getByRole("radio", { name: /^Theirs/ }));
    expect(shownName()).toBe("CAT 320");
    fireEvent.click(within(field).getByRole("radio", { name: /^Yours/ }));
    expect(shownName()).toBe("Digger");
    press("Update Equipment");
    await waitFor(() => expect(router.state.location.pathname).toBe("/equipment-list"));
    expect(calls[1]).toEqual(["update", { name: "Digger" }, 4n]);
  });

  it("takes theirs or keeps mine for all fields at once", async () => {
    const { calls, state, router } = await begin();
    state.stored = saved({ name: "CAT 320", threshold: 9000 });
    type(/^Equipment Name/, "Digger");
    type(/^Equipment Lifespan/, "8000");
    press("Update Equipment");
    await conflict();
    press("Use theirs");
    expect(shownName()).toBe("CAT 320");
    expect(screen.getByLabelText(/^Equipment Lifespan/)).toHaveProperty("value", "9000");
    press("Keep mine");
    press("Update Equipment");
    await waitFor(() => expect(router.state.location.pathname).toBe("/equipment-list"));
    expect(calls[1]).toEqual(["update", { name: "Digger", threshold: 8000 }, 4n]);
  });

  it("asks again if it was changed once more before the choice was saved", async () => {
    const { calls, state } = await begin();
    state.stored = saved({ name: "CAT 320" });
    type(/^Equipment Name/, "Digger");
    press("Update Equipment");
    await conflict();
    press("Keep mine");
    state.stored = saved({ name: "CAT 330", version: 5n });
    press("Update Equipment");
    await waitFor(() => expect(screen.getAllByText("CAT 330").length).toBeGreaterThan(0));
    expect(shownName()).toBe("Digger");
    press("Keep mine");
    press("Update Equipment");
    await waitFor(() => expect(calls).toHaveLength(3));
    expect(calls[2]).toEqual(["update", { name: "Digger" }, 5n]);
  });

  it("shows that it was retired in the meantime and by whom, and keeps typed values", async () => {
    const { state } = await begin();
    state.stored = null;
    state.retiredBy = "Dana Whitfield";
    type(/^Equipment Name/, "Digger");
    press("Update Equipment");
    const text = /^Excavator was retired by Dana Whitfield/;
    await waitFor(() => expect(currentToast()?.description).toMatch(text));
    expect(currentToast()?.title).toBe("Error");
    expect(screen.getAllByText(text).length).toBeGreaterThan(0);
    expect(screen.getByRole("link", { name: "See it in the archive" })).toBeTruthy();
    expect(shownName()).toBe("Digger");
  });

  it("shows that it was deleted in the meantime, and keeps typed values", async () => {
    const { state } = await begin();
    state.stored = null;
    type(/^Equipment Name/, "Digger");
    press("Update Equipment");
    const text = "Excavator was deleted while you were editing it.";
    expect((await screen.findAllByText(text)).length).toBeGreaterThan(0);
    expect(shownName()).toBe("Digger");
  });
});
