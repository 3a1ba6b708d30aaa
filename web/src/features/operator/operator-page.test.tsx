import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { Code, ConnectError, createRouterTransport } from "@connectrpc/connect";
import { fireEvent, screen, waitFor, within } from "@testing-library/react";
import { beforeEach, expect, it } from "vitest";
import {
  EquipmentFuel,
  EquipmentSchema,
  EquipmentService,
  EquipmentType,
  MeterUnit,
} from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import {
  FuelKind,
  OperatorUpdateSchema,
  OperatorUpdatesService,
  UpdateStatus,
  type OperatorUpdate,
  type SubmitUpdateRequest,
} from "#/api/gen/hourmeter/operator_updates/v1/operator_updates_pb";
import { toast } from "#/shared/toast/store";
import { operator, renderApp, stubRest } from "#/test/render-app";

const machine = (id: string, name: string, more: MessageInitShape<typeof EquipmentSchema>) =>
  create(EquipmentSchema, {
    id,
    name,
    type: EquipmentType.MACHINERY,
    unit: MeterUnit.HOURS,
    fuel: EquipmentFuel.DIESEL,
    ...more,
  });

const equipment = [
  machine("e1", "Excavator", { serialNumber: "0O1I8B2C", currentUsage: 4804.1 }),
  machine("e2", "Pickup", {
    unit: MeterUnit.MILES,
    fuel: EquipmentFuel.GASOLINE,
    currentUsage: 88904,
  }),
];

/** The server: `answer` decides about each submission. */
async function open(answer: (request: SubmitUpdateRequest) => void = () => undefined) {
  const received: SubmitUpdateRequest[] = [];
  const keys: (string | null)[] = [];
  const updates: OperatorUpdate[] = [];
  const transport = createRouterTransport(({ service }) => {
    service(EquipmentService, { listEquipment: () => ({ equipment }) });
    service(OperatorUpdatesService, {
      listUpdates: () => ({ updates }),
      submitUpdate: (request, context) => {
        received.push(request);
        keys.push(context.requestHeader.get("Idempotency-Key"));
        answer(request);
        const update = create(OperatorUpdateSchema, {
          id: request.clientId,
          equipmentId: request.equipmentId,
          equipmentName: equipment.find((each) => each.id === request.equipmentId)?.name ?? "",
          status: UpdateStatus.PENDING,
          ...(request.newUsage === undefined ? {} : { newUsage: request.newUsage }),
        });
        updates.unshift(update);
        return { update, created: true };
      },
    });
  });
  stubRest({
    "GET /api/auth/user": { status: 200, body: operator },
    "POST /api/auth/logout": { status: 204 },
    "GET /api/logout": { status: 204 },
  });
  const app = await renderApp("/operator", transport);
  await screen.findByRole("heading", { level: 1, name: "Equipment Updates" });
  return { ...app, received, keys };
}

const type = (label: string | RegExp, value: string) =>
  fireEvent.change(screen.getByLabelText(label), { target: { value } });
const press = (name: string | RegExp) => fireEvent.click(screen.getByRole("button", { name }));

async function choose(name: RegExp) {
  fireEvent.click(screen.getByLabelText("Equipment"));
  const sheet = await screen.findByRole("dialog", { name: "Choose equipment" });
  fireEvent.click((await within(sheet).findAllByRole("button", { name }))[0] ?? sheet);
  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
}

beforeEach(() => toast.dismiss());

it("tells who is logged in and that nothing is unsent", async () => {
  await open();
  expect(screen.getByText(/Logged in as Operator/).textContent).toContain("maria4821");
  expect(await screen.findByText("Everything is sent.")).toBeTruthy();
  expect(await screen.findByText("No updates yet")).toBeTruthy();
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

it("sends a reading once and shows what became of it", async () => {
  const { received, keys } = await open();
  await choose(/Excavator/);
  expect(screen.getByText(/^Last reading 4,804.1 hours/)).toBeTruthy();
  type("Meter reading (hours)", "4812,5");
  expect(screen.getByText("+8.4 h since the last reading")).toBeTruthy();
  expect(screen.getByLabelText<HTMLInputElement>("Diesel").checked).toBe(true);
  type(/Fuel amount/, "12");
  press("Submit");
  press("Submit");
  expect((await screen.findAllByText("Update Submitted")).length).toBeGreaterThan(0);
  expect(received).toHaveLength(1);
  expect(received[0]).toMatchObject({
    equipmentId: "e1",
    newUsage: 4812.5,
    fuelAdded: 12,
    fuelKind: FuelKind.DIESEL,
  });
  expect(keys).toEqual([received[0]?.clientId]);
  expect(await screen.findByText("Sent - waiting for review")).toBeTruthy();
  expect(screen.getByLabelText<HTMLInputElement>("Meter reading").value).toBe("");
});

it("warns below the last reading but lets it through", async () => {
  const { received } = await open();
  await choose(/Pickup/);
  expect(screen.getByLabelText<HTMLInputElement>("Gas").checked).toBe(true);
  type("Meter reading (miles)", "88094");
  expect(screen.getByText(/This is below the last reading \(88,904 miles\)/)).toBeTruthy();
  press("Submit");
  await waitFor(() => expect(received[0]?.newUsage).toBe(88094));
});

it("keeps an update without a connection, and sends it when asked again", async () => {
  let reachable = false;
  const { received } = await open(() => {
    if (!reachable) throw new ConnectError("busy", Code.Unavailable);
  });
  await choose(/Excavator/);
  type("Meter reading (hours)", "4812.5");
  press("Submit");
  expect((await screen.findAllByText("Update Saved")).length).toBeGreaterThan(0);
  expect(screen.getByText("1 update is not sent yet")).toBeTruthy();
  expect(screen.getByText("Waiting to be sent")).toBeTruthy();
  reachable = true;
  press("Send now");
  expect(await screen.findByText("Everything is sent.")).toBeTruthy();
  expect(new Set(received.map((request) => request.clientId)).size).toBe(1);
});

it("keeps a refused update for correction, with the server's reason", async () => {
  const { received } = await open((request) => {
    if (request.newUsage === 99) throw new ConnectError("Not plausible.", Code.InvalidArgument);
  });
  await choose(/Excavator/);
  type("Meter reading (hours)", "99");
  press("Submit");
  expect((await screen.findAllByText("Update Failed")).length).toBeGreaterThan(0);
  expect(await screen.findByText("1 update was not accepted")).toBeTruthy();
  expect(screen.getByText(/You are correcting an update/).textContent).toContain("Not plausible.");
  expect(screen.getByLabelText<HTMLInputElement>("Meter reading (hours)").value).toBe("99");
  type("Meter reading (hours)", "4820");
  press("Submit");
  expect(await screen.findByText("Everything is sent.")).toBeTruthy();
  expect(received.map((request) => request.newUsage)).toEqual([99, 4820]);
  expect(screen.queryByText("Not accepted")).toBeNull();
});

it("asks before logging out with unsent updates", async () => {
  const { queryClient } = await open(() => {
    throw new ConnectError("busy", Code.Unavailable);
  });
  await choose(/Excavator/);
  type("Meter reading (hours)", "4812.5");
  press("Submit");
  await screen.findByText("1 update is not sent yet");
  fireEvent.click(screen.getAllByRole("button", { name: "Logout" })[0] ?? document.body);
  const question = await screen.findByRole("alertdialog", {
    name: "Log out with unsent updates?",
  });
  fireEvent.click(within(question).getByRole("button", { name: "Cancel" }));
  await waitFor(() => expect(screen.queryByRole("alertdialog")).toBeNull());
  expect(queryClient.getQueryData(["session"])).toMatchObject({ id: operator.id });
  fireEvent.click(screen.getAllByRole("button", { name: "Logout" })[0] ?? document.body);
  fireEvent.click(await screen.findByRole("button", { name: "Log out anyway" }));
  await waitFor(() => expect(queryClient.getQueryData(["session"])).toBeNull());
});

it("finds equipment by serial number, and says when nothing matches", async () => {
  await open();
  fireEvent.click(screen.getByLabelText("Equipment"));
  const search = await screen.findByLabelText("Search equipment");
  fireEvent.change(search, { target: { value: "0o1i" } });
  expect(screen.getAllByRole("button", { name: /Excavator/ })).toHaveLength(1);
  expect(screen.queryByRole("button", { name: /Pickup/ })).toBeNull();
  fireEvent.change(search, { target: { value: "crane" } });
  expect(screen.getByText("No equipment found")).toBeTruthy();
  fireEvent.click(screen.getByRole("button", { name: "Clear search" }));
  expect(screen.getByRole("button", { name: /Pickup/ })).toBeTruthy();
});
