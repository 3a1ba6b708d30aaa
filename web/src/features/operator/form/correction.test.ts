import { expect, it } from "vitest";
import { correctionOfUpdate } from "./correction";
import type { OwnUpdate } from "../offline-data/own-update";

const update = {
  id: "u1",
  equipmentId: "e1",
  equipmentName: "Trencher",
  newUsage: 4.8,
  usageIncrease: null,
  fuelAdded: 0,
  fuelType: null,
  fullFill: null,
  notes: "",
  rejectReason: "Wrong",
  withdrawn: false,
  capturedAt: new Date(),
  createdAt: new Date(),
} as unknown as OwnUpdate;

it.each([
  ["Meter replaced", ""],
  ["Belt is loose\nMeter replaced", "Belt is loose"],
  ["Meter replaced on Monday", "Meter replaced on Monday"],
])("corrects an update with the notes %j without the note of the check", (notes, kept) => {
  expect(correctionOfUpdate({ ...update, notes }).values.notes).toBe(kept);
});
