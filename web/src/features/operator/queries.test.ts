import { create } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { EquipmentSchema } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { recentlyUsed } from "./queries";

const equipment = ["a", "b", "c"].map((id) => create(EquipmentSchema, { id }));

test.each<[string[], string[]]>([
  [[], []],
  [
    ["c", "a", "c"],
    ["c", "a"],
  ],
  [["gone", "b"], ["b"]],
  [
    ["c", "b", "a"],
    ["c", "b"],
  ],
])("%j", (newestFirst, expected) => {
  expect(recentlyUsed(equipment, newestFirst, 2).map((each) => each.id)).toEqual(expected);
});
