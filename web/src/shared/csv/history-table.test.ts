import * as v from "valibot";
import { expect, it } from "vitest";
import { historyRowSchema } from "./history-table";

const row = {
  equipmentName: "Crane",
  type: "note",
  noteType: "note",
  operatorName: "Ana Ruiz",
  usage: null,
  fuelAdded: 0,
  fuelType: null,
  content: "Checked",
  createdAt: "2026-02-03T12:00:00Z",
};

it.each([
  [{}, undefined],
  [{ kind: "service" }, "service"],
  [{ kind: "inspection" }, undefined],
])("reads rows without a kind and of kinds that are not known yet: %j", (more, kind) => {
  expect(v.parse(historyRowSchema, { ...row, ...more }).kind).toBe(kind);
});
