import { create } from "@bufbuild/protobuf";
import { expect, it } from "vitest";
import { EquipmentSchema } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { checkRows } from "./check-rows";
import { findHeadings, matchColumns } from "./columns";
import { readSheet } from "./read-sheet";

const existing = [
  create(EquipmentSchema, { id: "e1", name: "Grúa", serialNumber: "SN-1", unitNumber: "G-1" }),
];

function check(text: string, { type = "", unit = "", metric = false } = {}) {
  const lines = readSheet(text);
  const at = findHeadings(lines);
  const headings = lines[at]?.cells ?? [];
  const rows = lines.slice(at + 1);
  const fields = matchColumns(headings, rows, metric);
  return checkRows({ lines: rows, headings, fields, defaults: { type, unit }, metric, existing });
}

/** The first row, with one more column. */
function one(heading: string, cell: string) {
  const [row] = check(`Name\tType\tUnit of measure\t${heading}\nDozer\tMachinery\thours\t${cell}`);
  return row;
}

it.each(["", "Name\tType"])("has no rows in %j", (text) => {
  expect(check(text)).toEqual([]);
});

it("proposes the unit and the fuel of the type", () => {
  const text = "Name\tType\nDozer\tmaquinaria\nTruck\tvehicle";
  expect(check(text).map(({ values }) => [values.unit, values.fuel])).toEqual([
    ["hours", "diesel"],
    ["miles", "n/a"],
  ]);
  expect(check(text, { metric: true })[1]?.values.unit).toBe("kilometers");
});

it.each([
  ["the cell", "Name\tType\tUnit\tHours\nTruck\tvehicle\tkm\t5", "kilometers"],
  ["the reading", "Name\tType\tHours\nTruck\tvehicle\t5 mi", "miles"],
  ["the heading", "Name\tType\tHours\nTruck\tvehicle\t5", "hours"],
  ["another figure", "Name\tType\tReading\tInterval\nTruck\tvehicle\t5\t10,000 km", "kilometers"],
  ["the type", "Name\tType\tReading\nTruck\tvehicle\t5", "miles"],
  ["the choice", "Name\tType\tReading\nDrill\ttool\t5", "n/a"],
])("takes the unit first from %s", (_, text, unit) => {
  const [row] = check(text, { unit: "n/a" });
  expect(row?.values.unit).toBe(unit);
  expect(row?.problems.size).toBe(0);
});

it.each([
  ["another meter", "Name\tType\tReading\tInterval\nTruck\tvehicle\t5\t500 h", "miles"],
  ["the heading's unit", "Name\tType\tHours\tInterval\nTruck\tvehicle\t5\t500 km", "hours"],
])("refuses an interval in a unit that differs from %s", (_, text, unit) => {
  const [row] = check(text);
  expect(row?.values.unit).toBe(unit);
  expect([...(row?.problems.keys() ?? [])]).toEqual(["serviceInterval"]);
});

it.each([
  ["hours", "6000\t70,000\t5900"],
  ["miles", "6000\t70,000\t65,000"],
  ["miles", "6000\t70,000\t"],
  ["miles", "6000\t70,000\t80,000"],
  ["hours", "6000\t-\t5900"],
])("measures a vehicle with two readings in %s, by its last service: %j", (unit, cells) => {
  const [row] = check(`Name\tType\tHours\tMiles\tLast service\nTruck\tvehicle\t${cells}`);
  expect(row?.values.unit).toBe(unit);
});

it.each([
  "Hours / Miles",
  "Hours/Miles",
  "Hrs/Mi",
  "Current hours/miles",
  "Hours or miles",
  "Odometer / Hours",
  "Horas o kilómetros",
])("takes the unit from the type under %s", (heading) => {
  const text = `Name\tType\t${heading}\nRam\tTruck\t64200\nDozer\tDozer\t6412\nVan\tVan\t84,200 km`;
  expect(check(text).map(({ values }) => [values.currentUsage, values.unit])).toEqual([
    ["64200", "miles"],
    ["6412", "hours"],
    ["84,200", "kilometers"],
  ]);
});

const twoMeters = "Name\tType\tUnit of measure\tHours\tMiles\tKm";

it.each([
  ["the only reading of a vehicle", "vehicle\t\t1800\t\t", "1800 hours", []],
  ["the only reading of a machine", "machinery\t\t\t52000\t", "52000 miles", []],
  ["the unit in the cell", "vehicle\t\t1800 km\t\t", "1800 kilometers", []],
  ["the row's unit", "vehicle\thours\t1800\t52000\t", "1800 hours", ["Miles 52000"]],
  ["the vehicle's miles", "vehicle\t\t1800\t52000\t", "52000 miles", ["Hours 1800"]],
  ["the vehicle's kilometers", "vehicle\t\t1800\t\t83000", "83000 kilometers", ["Hours 1800"]],
  ["the machine's hours", "machinery\t\t2300\t0\t", "2300 hours", ["Miles 0"]],
  ["the chosen unit", "tool\t\t5\t6\t", "6 miles", ["Hours 5"]],
  ["a reading before a dash", "machinery\t\t-\t52000\t", "52000 miles", ["Hours -"]],
  [
    "the only reading before the row's unit",
    "vehicle\tmiles\t5\t\t",
    "5 hours",
    ["Unit of measure miles"],
  ],
  ["no reading", "vehicle\thours\t\t\t", " hours", []],
])("takes from several columns of readings %s", (_, cells, taken, leftOut) => {
  const [row] = check(`${twoMeters}\nTruck\t${cells}`, { unit: "miles" });
  expect(`${row?.values.currentUsage} ${row?.values.unit}`).toBe(taken);
  expect(row?.leftOut).toEqual(leftOut);
  expect(row?.problems.size).toBe(0);
});

it("takes an odometer beside an hourmeter for the usual distance", () => {
  const text = "Name\tType\tHourmeter\tOdometer\nTruck\tvehicle\t\t5\nGrader\tmachinery\t\t6";
  const units = (metric: boolean) => check(text, { metric }).map(({ values }) => values.unit);
  expect(units(false)).toEqual(["miles", "miles"]);
  expect(units(true)).toEqual(["kilometers", "kilometers"]);
});

it("needs a name, a type and a unit", () => {
  const problems = check(
    "Name\tType\tHours\tReading\n\tvehicle\t5\nDrill\t\t5\nSaw\ttool\t",
    {},
  ).flatMap((row) => [...row.problems]);
  expect(problems).toEqual([
    ["name", { kind: "invalid", message: "equipment-form.fields.nameRequired" }],
    ["type", { kind: "invalid", message: "equipment-form.fields.typeRequired" }],
    ["unit", { kind: "invalid", message: "equipment-form.fields.unitRequired" }],
  ]);
  expect([...(check("Name\tType\nSaw\ttool")[0]?.problems.keys() ?? [])]).toEqual(["unit"]);
  expect(check("Name\tReading\nSaw\t5", { type: "tools", unit: "hours" })[0]?.problems.size).toBe(
    0,
  );
});

it.each([
  ["Hours", "4,812.50", null],
  ["Hours", "4812,5", null],
  ["Hours", "1 234 567.8", null],
  ["Hours", "4,812.5 hrs", null],
  ["Hours", "-1", "equipment-form.fields.usageLow"],
  ["Hours", "many", "equipment-form.fields.usageLow"],
  ["Hours", "5 km", "equipment-form.fields.usageLow"],
  ["Hours", "0.125", "equipment-form.fields.twoDecimals"],
  ["Interval", "250", null],
  ["Interval", "250.5", "equipment-form.fields.intervalWhole"],
  ["Threshold", "0.5", "equipment-form.fields.thresholdLow"],
])("checks %s %j as the form does", (heading, cell, message) => {
  const problems = [...(one(heading, cell)?.problems.values() ?? [])];
  expect(problems).toEqual(message ? [{ kind: "invalid", message }] : []);
});

it("refuses a last service above the usage, unless the meter was never read", () => {
  const text = (usage: string) =>
    `Name\tType\tHours\tLast service\nDozer\tmachinery\t${usage}\t600`;
  expect(check(text("599"))[0]?.problems.get("lastServiceUsage")).toEqual({
    kind: "invalid",
    message: "refusals.LAST_SERVICE_ABOVE_USAGE",
  });
  expect(check(text("600"))[0]?.problems.size).toBe(0);
  expect(check(text(""))[0]?.problems.size).toBe(0);
});

it.each([
  ["Fuel", "coal", "fuel"],
  ["Operational status", "gone", "operationalStatus"],
] as const)("names the word that is no %s", (heading, word, field) => {
  expect(one(heading, word)?.problems.get(field)).toEqual({ kind: "unknown", word });
});

it("names an unknown type and unit", () => {
  const [row] = check("Name\tType\tMeasurement unit\nBoat\tship\tknots", { type: "other" });
  expect([...(row?.problems ?? [])]).toEqual([
    ["type", { kind: "unknown", word: "ship" }],
    ["unit", { kind: "unknown", word: "knots" }],
  ]);
});

it.each([
  ["Unit number", "unitNumber", 50],
  ["Serial number", "serialNumber", 100],
  ["Group", "group", 60],
  ["Notes", "description", 5000],
] as const)("limits the length of the %s", (heading, field, max) => {
  expect(one(heading, "x".repeat(max))?.problems.size).toBe(0);
  expect(one(heading, "x".repeat(max + 1))?.problems.get(field)).toEqual({ kind: "tooLong", max });
});

it("marks machines that exist, without regard to case and accents", () => {
  const row = one("Serial", "sn-1");
  expect([...(row?.duplicates ?? [])]).toEqual([["serialNumber", { name: "Grúa" }]]);
  const [named] = check("Name\tType\n GRUA \tmachinery");
  expect([...(named?.duplicates ?? [])]).toEqual([["name", { name: "Grúa" }]]);
  expect(one("Unit number", "g-1")?.problems.get("unitNumber")).toEqual({
    kind: "taken",
    duplicate: { name: "Grúa" },
  });
});

it("marks a row that repeats an earlier one, but not one with an error", () => {
  const rows = check(
    [
      "Name\tType\tUnit number\tSerial",
      "Dozer\tship\t\tS1",
      "Dozer\tmachinery\tD-1\t",
      "dozer\tmachinery\tD-2\tS1",
      "Loader\tmachinery\td-1\tS1",
    ].join("\n"),
  );
  expect(rows.map(({ duplicates }) => [...duplicates])).toEqual([
    [],
    [],
    [["name", { row: 3 }]],
    [],
  ]);
  expect(rows[3]?.problems.get("unitNumber")).toEqual({ kind: "taken", duplicate: { row: 3 } });
});

it("gives equal rows different ids, and the same ones when they are pasted again", () => {
  const rows = "Drill\ttool\nDrill\ttool\n";
  const ids = (text: string) => check(text, { unit: "n/a" }).map(({ id }) => id);
  const first = ids(`Name\tType\n${rows}`);
  expect(new Set(first).size).toBe(2);
  expect(ids(`Name\tType\nSaw\ttool\n${rows}`).slice(1)).toEqual(first);
});

it.each(["1.500", "88.879", "4.811,7", "1.234.567"])("asks for another format of %s", (text) => {
  const message = "equipment-import.problems.numberFormat";
  expect(one("Hours", text)?.problems.get("currentUsage")).toEqual({ kind: "invalid", message });
});

it.each(["0.500", "1.50", "1,500", "4,811.7", "3377,5", "1500"])("reads the figure %s", (text) => {
  expect(one("Hours", text)?.problems.size).toBe(0);
});
