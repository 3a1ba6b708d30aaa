import { create, type MessageInitShape } from "@bufbuild/protobuf";
import * as v from "valibot";
import { describe, expect, it } from "vitest";
import {
  EquipmentSchema,
  EquipmentType,
  ServiceStatus,
} from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import {
  bySeverityThenName,
  equipmentFilterSchema,
  filterEquipment,
  isFiltered,
} from "./equipment-filter";

const piece = (name: string, more: MessageInitShape<typeof EquipmentSchema> = {}) =>
  create(EquipmentSchema, {
    name,
    type: EquipmentType.VEHICLE,
    serviceStatus: ServiceStatus.GOOD,
    ...more,
  });

const pieces = [
  piece("truck 10"),
  piece("Truck 9", { serialNumber: "1FTEW1EP" }),
  piece("Loader", {
    type: EquipmentType.MACHINERY,
    serviceStatus: ServiceStatus.APPROACHING_SERVICE,
  }),
  piece("Saw", { type: EquipmentType.TOOLS, serviceStatus: ServiceStatus.OVERDUE }),
  piece("Bobcat", { type: EquipmentType.MACHINERY, serviceStatus: ServiceStatus.OVERDUE }),
  piece("Crane", { type: EquipmentType.OTHER, serviceStatus: ServiceStatus.TIME_FOR_SERVICE }),
];

const names = (filter: Parameters<typeof filterEquipment>[1]) =>
  filterEquipment(pieces, filter).map((each) => each.name);

describe("the filter in the URL", () => {
  it.each([
    ["approaching_service", "approaching"],
    ["time_for_service", "due"],
    ["approaching", "approaching"],
    ["due", "due"],
    ["good", "good"],
    ["overdue", "overdue"],
    ["all", undefined],
    ["nonsense", undefined],
  ])("status=%s means %s", (word, status) => {
    expect(v.parse(equipmentFilterSchema, { status: word }).status).toBe(status);
  });

  it("takes a search for digits, and leaves out what means nothing", () => {
    expect(v.parse(equipmentFilterSchema, { search: 4821, type: "boat" })).toEqual({
      search: "4821",
    });
  });

  it("knows when nothing is filtered", () => {
    expect(isFiltered({})).toBe(false);
    expect(isFiltered({ search: "  " })).toBe(false);
    expect(isFiltered({ type: "tools" })).toBe(true);
  });
});

describe("filtering", () => {
  it("finds by status, type and a part of name or serial number in any case", () => {
    expect(names({ status: "overdue" })).toEqual(["Saw", "Bobcat"]);
    expect(names({ type: "machinery" })).toEqual(["Loader", "Bobcat"]);
    expect(names({ search: " TRUCK " })).toEqual(["truck 10", "Truck 9"]);
    expect(names({ search: "ftew" })).toEqual(["Truck 9"]);
    expect(names({ status: "overdue", type: "tools", search: "s" })).toEqual(["Saw"]);
  });

  it("sorts overdue first, then by severity, then by name with its numbers", () => {
    expect(pieces.toSorted(bySeverityThenName).map((each) => each.name)).toEqual([
      "Bobcat",
      "Saw",
      "Crane",
      "Loader",
      "Truck 9",
      "truck 10",
    ]);
  });
});
