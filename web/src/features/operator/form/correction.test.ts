import i18next from "i18next";
import * as v from "valibot";
import { expect, it } from "vitest";
import { correctionOfUpdate } from "./correction";
import { ownUpdateSchema } from "../offline-data/own-update";

const update = v.parse(ownUpdateSchema, {
  id: "u1",
  clientId: "c1",
  equipmentId: "e1",
  equipmentName: "Trencher",
  reportedEquipmentName: null,
  operatorId: "o1",
  newUsage: 4.8,
  fuelAdded: 0,
  notes: "",
  rejectReason: "Wrong",
  reviewedAt: null,
  createdAt: "2026-01-05T12:00:00Z",
  capturedAt: null,
});

it.each([
  ["{note}", ""],
  ["Belt is loose\n{note}", "Belt is loose"],
  ["{note} on Monday", "{note} on Monday"],
])("corrects an update with the notes %j without the note of the check", (notes, kept) => {
  const filled = (text: string) => text.replace("{note}", i18next.t("operator.check.replacedNote"));
  const { values } = correctionOfUpdate({ ...update, notes: filled(notes) });
  expect(values.notes).toBe(filled(kept));
});
