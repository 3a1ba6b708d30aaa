import { create } from "@bufbuild/protobuf";
import { expect, it } from "vitest";
import { EquipmentSchema } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { canService } from "./row-action";

it.each([
  ["an interval", { serviceInterval: 250 }, true, true],
  ["a schedule", { hasScheduledMaintenance: true }, false, true],
  ["service tasks only", { moreTasks: 1 }, true, true],
  ["no plan", {}, false, false],
])("offers Mark as Serviced with %s", (_, fields, onOverview, onList) => {
  const equipment = create(EquipmentSchema, fields);
  const onAction = () => undefined;
  expect(canService({ equipment, isList: false, onAction })).toBe(onOverview);
  expect(canService({ equipment, isList: true, onAction })).toBe(onList);
  expect(canService({ equipment, isList: true, hasPlan: false, onAction })).toBe(false);
});
