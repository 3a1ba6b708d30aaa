import { create } from "@bufbuild/protobuf";
import { Code, ConnectError, createRouterTransport } from "@connectrpc/connect";
import { fireEvent, screen, waitFor, within } from "@testing-library/react";
import { beforeEach, describe, expect, it } from "vitest";
import { AccountsService } from "#/api/gen/hourmeter/accounts/v1/accounts_pb";
import { BillingService } from "#/api/gen/hourmeter/billing/v1/billing_pb";
import {
  EquipmentSchema,
  EquipmentService,
  EquipmentType,
  MeterUnit,
} from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { currentToast, toast } from "#/shared/toast/store";
import { owner, renderApp, stubRest } from "#/test/render-app";

const excavator = create(EquipmentSchema, {
  id: "e1",
  name: "Excavator",
  type: EquipmentType.MACHINERY,
  unit: MeterUnit.HOURS,
  currentUsage: 4812.5,
  alertThreshold: 20,
  version: 3n,
});

/** google.rpc.ErrorInfo with a reason, as the services send it. */
function refusal(code: Code, reason: string): ConnectError {
  const error = new ConnectError("Refused.", code);
  const text = new TextEncoder().encode(reason);
  error.details.push({
    type: "google.rpc.ErrorInfo",
    value: new Uint8Array([10, text.length, ...text]),
  });
  return error;
}

async function open(path: string, { partsEntry = false, total = 1, limit = 15 } = {}) {
  stubRest({ "GET /api/auth/user": { status: 200, body: owner } });
  const calls: unknown[] = [];
  const state: { refuse: ConnectError | null } = { refuse: null };
  const transport = createRouterTransport(({ service }) => {
    service(AccountsService, { getCompanySettings: () => ({ settings: { timeZone: "UTC" } }) });
    service(BillingService, {
      getSubscription: () => ({ subscription: { entitlements: { partsEntry } } }),
    });
    service(EquipmentService, {
      getSummary: () => ({ total, equipmentLimit: limit }),
      listEquipment: () => ({ equipment: [excavator] }),
      listHistory: () => ({}),
      getEquipment: ({ id }) => {
        if (id !== "e1") throw new ConnectError("Not found", Code.NotFound);
        return { equipment: excavator };
      },
      createEquipment: ({ equipment }) => {
        calls.push(["create", equipment?.name, equipment?.type]);
        if (state.refuse) throw state.refuse;
        return { equipment: excavator };
      },
      updateEquipment: ({ equipment, expectedVersion }) => {
        calls.push(["update", equipment?.name, expectedVersion]);
        if (state.refuse && expectedVersion !== undefined) throw state.refuse;
        return { equipment: excavator };
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

beforeEach(() => toast.dismiss());

describe("adding", () => {
  it("names the page, adds and goes to the dashboard", async () => {
    const { calls, router } = await open("/add-equipment");
    await named("Add Equipment");
    await waitFor(() => expect(document.title).toBe("Add Equipment - Equipment Management"));
    type(/^Equipment Name/, "Saw");
    type(/^Equipment Type/, "tools");
    type(/^Measurement Unit/, "hours");
    press("Add Equipment");
    await named("Dashboard");
    expect(calls).toEqual([["create", "Saw", EquipmentType.TOOLS]]);
    expect(router.state.location.pathname).toBe("/");
    expect(currentToast()?.title).toBe("Equipment Added");
  });

  it("says in words that the plan's limit is reached", async () => {
    await open("/add-equipment", { total: 15 });
    await named("Add Equipment");
    const text = /Your plan's limit of 15 pieces of equipment is reached/;
    expect((await screen.findByRole("alert")).textContent).toMatch(text);
    const submit = screen.getByRole("button", { name: "Add Equipment" });
    expect(submit.getAttribute("aria-disabled")).toBe("true");
  });

  it("shows the server's refusal at the limit and keeps what was typed", async () => {
    const { state } = await open("/add-equipment");
    await named("Add Equipment");
    state.refuse = refusal(Code.PermissionDenied, "EQUIPMENT_LIMIT_REACHED");
    type(/^Equipment Name/, "Saw");
    type(/^Equipment Type/, "tools");
    type(/^Measurement Unit/, "hours");
    press("Add Equipment");
    expect((await screen.findByRole("alert")).textContent).toMatch(/equipment limit is reached/);
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

describe("scheduled maintenance", () => {
  it("opens its fields, takes digits only, previews the date, and clears when turned off", async () => {
    await open("/add-equipment");
    await named("Add Equipment");
    expect(screen.queryByLabelText("Starting Date")).toBeNull();
    const toggle = screen.getByRole("checkbox", { name: "Maintain on a schedule" });
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

describe("service parts", () => {
  it("tell what the plan lacks", async () => {
    await open("/add-equipment");
    await named("Add Equipment");
    const upgrade =
      "Unlock parts entry functionality to track service parts, part numbers, and quantities for detailed maintenance records.";
    expect(await screen.findByText(upgrade)).toBeTruthy();
    expect(screen.queryByRole("button", { name: "Add Part" })).toBeNull();
  });

  it("keep one row at least, and one Add Part", async () => {
    await open("/add-equipment", { partsEntry: true });
    await named("Add Equipment");
    fireEvent.click(await screen.findByRole("button", { name: "Add Part" }));
    expect(screen.getAllByRole("group", { name: /^Part \d/ })).toHaveLength(2);
    expect(screen.getAllByRole("button", { name: "Add Part" })).toHaveLength(1);
    press("Remove part 2");
    press("Remove part 1");
    expect(screen.getAllByRole("group", { name: /^Part \d/ })).toHaveLength(1);
  });
});

describe("editing", () => {
  it("is also reached by /add, and loads the piece", async () => {
    const { router } = await open("/add?edit=e1");
    await named("Edit Equipment");
    expect(router.state.location.href).toBe("/add-equipment?edit=e1");
    expect(await screen.findByLabelText(/^Equipment Name/)).toHaveProperty("value", "Excavator");
    await waitFor(() => expect(document.title).toBe("Edit Equipment - Equipment Management"));
  });

  it("tells that someone else saved meanwhile, and keeps what was typed", async () => {
    const { calls, state } = await open("/add-equipment?edit=e1");
    await screen.findByLabelText(/^Equipment Name/);
    state.refuse = refusal(Code.Aborted, "STALE");
    type(/^Equipment Name/, "Digger");
    press("Update Equipment");
    await screen.findByText("Someone else changed this equipment in the meantime.");
    expect(screen.getByLabelText(/^Equipment Name/)).toHaveProperty("value", "Digger");
    press("Save mine over it");
    await named("Dashboard");
    expect(calls).toEqual([
      ["update", "Digger", 3n],
      ["update", "Digger", undefined],
    ]);
  });

  it("says when the piece can't be loaded", async () => {
    await open("/add-equipment?edit=e9");
    const text = "Unable to load equipment. Please make sure you are logged in properly.";
    expect(await screen.findByText(text)).toBeTruthy();
  });
});
