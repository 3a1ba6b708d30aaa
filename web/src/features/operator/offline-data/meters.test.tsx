import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { create } from "@bufbuild/protobuf";
import { createRouterTransport } from "@connectrpc/connect";
import { screen } from "@testing-library/react";
import { expect, it } from "vitest";
import {
  EquipmentFuel,
  EquipmentService,
  EquipmentType,
  MeterSchema,
  MeterUnit,
  ServiceStatus,
} from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { sessionQuery, useSession } from "#/session/session";
import { useQuery } from "@tanstack/react-query";
import { operator, renderPart, stubRest, visitor } from "#/test/render-app";
import { toFieldMeter, useMeters } from "./meters";

it("has everything in the words that the screens use", () => {
  const readAt = new Date("2026-11-20T08:15:00Z");
  const meter = create(MeterSchema, {
    equipmentId: "e1",
    name: "Excavator",
    type: EquipmentType.MACHINERY,
    unit: MeterUnit.HOURS,
    fuel: EquipmentFuel.DIESEL,
    meterReading: 4804.1,
    meterReadAt: timestampFromDate(readAt),
    usualDailyUse: 8,
    serviceStatus: ServiceStatus.OVERDUE,
  });
  expect(toFieldMeter(meter)).toEqual({
    equipmentId: "e1",
    name: "Excavator",
    type: "machinery",
    serialNumber: null,
    unit: "hours",
    fuel: "diesel",
    meterReading: 4804.1,
    meterReadAt: readAt,
    usualDailyUse: 8,
    usualFill: null,
    serviceStatus: "overdue",
  });
});

function Names() {
  useQuery(sessionQuery);
  return useSession() ? <List /> : null;
}

function List() {
  const { meters, state } = useMeters();
  return <p>{`${state}: ${meters.map((meter) => meter.name).join(", ")}`}</p>;
}

it("asks page by page until it has all", async () => {
  stubRest({ "GET /api/auth/user": { status: 200, body: operator } });
  const asked: (string | undefined)[] = [];
  const transport = createRouterTransport(({ service }) =>
    service(EquipmentService, {
      listMeters: ({ page }) => {
        asked.push(page?.cursor);
        return page?.cursor === "next"
          ? { meters: [{ equipmentId: "e2", name: "Pickup" }], page: { nextCursor: "" } }
          : { meters: [{ equipmentId: "e1", name: "Excavator" }], page: { nextCursor: "next" } };
      },
    }),
  );
  await renderPart(<Names />, transport);
  expect(await screen.findByText("ready: Excavator, Pickup")).toBeTruthy();
  expect(asked).toEqual(["", "next"]);
});

it("shows nothing of a person who is not the one signed in any more", async () => {
  let signedIn: typeof operator = operator;
  stubRest({ "GET /api/auth/user": () => ({ status: 200, body: signedIn }) });
  const transport = createRouterTransport(({ service }) =>
    service(EquipmentService, {
      listMeters: () => ({ meters: [{ equipmentId: "e1", name: `of ${signedIn.id}` }] }),
    }),
  );
  const { queryClient } = await renderPart(<Names />, transport);
  expect(await screen.findByText("ready: of u2")).toBeTruthy();
  signedIn = { ...operator, id: "u3" };
  await queryClient.refetchQueries({ queryKey: sessionQuery.queryKey });
  expect(await screen.findByText("ready: of u3")).toBeTruthy();
  stubRest({ "GET /api/auth/user": visitor });
});
