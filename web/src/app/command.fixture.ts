import { createRouterTransport } from "@connectrpc/connect";
import { vi } from "vitest";
import { AccountsService, Role } from "#/api/gen/hourmeter/accounts/v1/accounts_pb";
import { EquipmentService, MeterUnit } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { owner, renderApp, stubRest } from "#/test/render-app";

const deere = {
  id: "a",
  name: "310SL",
  unitNumber: "BH-4",
  serialNumber: "1T0310SL",
  unit: MeterUnit.HOURS,
  meterReading: 6720.7,
  currentUsage: 6720.7,
};
const maria = {
  id: "p",
  firstName: "María",
  lastName: "López",
  role: Role.OPERATOR,
  operatorUsername: "maria4821",
};

/** The application of an owner with two machines, or more, and an operator. */
export async function openOffice(
  path = "/no-such-page",
  name = "Dump truck",
  ...more: Array<{ id: string; name: string; unit: MeterUnit }>
) {
  const truck = { id: "b", name, unit: MeterUnit.MILES, currentUsage: 5 };
  const machines = [truck, deere, ...more];
  stubRest({ "GET /api/auth/user": { status: 200, body: owner } });
  const listEquipment = vi.fn<(request: { search: string; ids: string[] }) => object>(
    ({ search, ids }) => ({
      equipment: machines.filter(
        (row) =>
          row.name.toLowerCase().includes(search.toLowerCase()) &&
          (ids.length === 0 || ids.includes(row.id)),
      ),
    }),
  );
  const recordUsage = vi.fn<(request: object) => object>(() => ({ entryIds: ["h1"] }));
  const voidEntry = vi.fn<(request: object) => object>(() => ({}));
  const transport = createRouterTransport(({ service }) => {
    service(EquipmentService, {
      listEquipment,
      recordUsage,
      voidEntry,
      getEquipment: ({ id }) => ({
        equipment: machines.find((row) => row.id === id),
      }),
      listServiceTasks: () => ({}),
    });
    service(AccountsService, { listEmployees: () => ({ employees: [maria] }) });
  });
  const { router } = await renderApp(path, transport);
  return { router, recordUsage, voidEntry };
}
