import { expect, test } from "vitest";
import { bestFirst, findMachines } from "./find-machines";

const machines = [
  { id: "a", name: "Grúa 3", serialNumber: "XK-77", unitNumber: "GR-9" },
  { id: "b", name: "Mini excavator", serialNumber: "0O1I8B2C", unitNumber: null },
  { id: "c", name: "Excavator 3" },
];

test.each<[string, string, string[]]>([
  ["accents need not be typed", "grua", ["a"]],
  ["by serial, in any case", "0o1i", ["b"]],
  ["names that begin with it first", "excav", ["c", "b"]],
  ["every word counts, in any order", "3 exc", ["c"]],
  ["the unit number", "gr-9", ["a"]],
  ["nothing", "crane", []],
])("%s", (_, search, expected) => {
  expect(findMachines(machines, search).map(({ id }) => id)).toEqual(expected);
});

test("bestFirst puts names before words of names before other matches", () => {
  const named = ["Bobcat S450", "Old CAT 950", "CAT 320", "Mini cat"].map((name) => ({ name }));
  const numbered = { name: "Loader", unitNumber: "CAT-7" };
  expect(bestFirst([...named, numbered], " cat").map(({ name }) => name)).toEqual([
    "CAT 320",
    "Loader",
    "Old CAT 950",
    "Mini cat",
    "Bobcat S450",
  ]);
});
