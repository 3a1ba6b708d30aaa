import { create, type MessageInitShape } from "@bufbuild/protobuf";
import * as v from "valibot";
import { describe, expect, it } from "vitest";
import {
  EquipmentSchema,
  EquipmentType,
  ServiceStatus,
} from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import {
  equipmentFilterSchema,
  filterEquipment,
  isFiltered,
  statusOfPath,
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

  it("takes an order, and leaves out one that there is not", () => {
    expect(v.parse(equipmentFilterSchema, { sort: "usage", desc: true })).toEqual({
      sort: "usage",
      desc: true,
    });
    expect(v.parse(equipmentFilterSchema, { sort: "colour", desc: "yes" })).toEqual({});
  });

  it("knows when nothing is filtered", () => {
    expect(isFiltered({})).toBe(false);
    expect(isFiltered({ search: "  " })).toBe(false);
    expect(isFiltered({ type: "tools" })).toBe(true);
    expect(isFiltered({ sort: "name", desc: true })).toBe(false);
  });
});

describe("a status in a path", () => {
  it.each([
    ["all", "all"],
    ["good", "good"],
    ["approaching", "approaching"],
    ["approaching_service", "approaching"],
    ["due", "due"],
    ["time_for_service", "due"],
    ["overdue", "overdue"],
    ["item", null],
    ["Good", null],
    ["", null],
  ])("%s is %s", (word, status) => {
    expect(statusOfPath(word)).toBe(status);
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
});
