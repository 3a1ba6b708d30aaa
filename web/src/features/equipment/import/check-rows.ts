import * as v from "valibot";
import type { Equipment } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { plainText } from "#/domain/names";
import type { UnitWord } from "#/domain/equipment-words";
import { key } from "#/i18n/key";
import { hasPointGroups, parseDecimal } from "#/shared/form/decimal";
import { proposalsFor } from "../form/proposals";
import { equipmentSchema, type EquipmentValues } from "../form/schema";
import { blankValues } from "../form/values";
import { importFields, type ColumnFields, type ImportField } from "./columns";
import type { Line } from "./read-sheet";
import {
  meterOfHeading,
  readFuel,
  readOperational,
  readType,
  readUnit,
  unitOfHeading,
} from "./words";

/** Another row, or an existing machine. */
export type Duplicate = { row: number } | { name: string };

export type Problem =
  | { kind: "invalid"; message: string }
  /** A word that is not one of the field's choices. */
  | { kind: "unknown"; word: string }
  | { kind: "tooLong"; max: number }
  /** Unit numbers are unique. */
  | { kind: "taken"; duplicate: Duplicate };

export interface CheckedRow {
  /** The same for the same cells, also when they are pasted again. */
  id: string;
  number: number;
  /** As typed, where a cell is not understood. */
  values: EquipmentValues;
  problems: ReadonlyMap<ImportField, Problem>;
  /** Probably the same machine. */
  duplicates: ReadonlyMap<"name" | "serialNumber", Duplicate>;
  /** Headings and cells that another meter's reading excludes. */
  leftOut: readonly string[];
}

/** A cell of a column of readings. */
interface Reading {
  heading: string;
  text: string;
  unit: UnitWord | undefined;
}

/** For rows without one of their own. */
export interface Defaults {
  type: string;
  unit: string;
}

/** The server's limits; the form's inputs have them as attributes. */
const maxLengths: Partial<Record<ImportField, number>> = {
  name: 200,
  unitNumber: 50,
  serialNumber: 100,
  group: 60,
  description: 5000,
};

export function checkRows({
  lines,
  headings,
  fields,
  defaults,
  metric,
  existing,
}: {
  lines: readonly Line[];
  /** Empty without headings. */
  headings: readonly string[];
  fields: ColumnFields;
  defaults: Defaults;
  /** Whether vehicles usually count kilometers. */
  metric: boolean;
  existing: readonly Equipment[];
}): CheckedRow[] {
  const usageColumns = fields.flatMap((field, column) => (field === "currentUsage" ? column : []));
  const hasMeters = usageColumns.length > 1;
  const meters = usageColumns.map((column) => {
    const heading = headings[column] ?? "";
    return {
      column,
      heading,
      unit: hasMeters ? meterOfHeading(heading, metric) : unitOfHeading(heading),
    };
  });
  const names = new DuplicateIndex(existing, (one) => one.name);
  const serials = new DuplicateIndex(existing, (one) => one.serialNumber);
  const unitNumbers = new DuplicateIndex(existing, (one) => one.unitNumber);
  const copies = new Map<string, number>();
  return lines.map(({ number, cells }) => {
    const content = JSON.stringify(cells);
    const copy = copies.get(content) ?? 0;
    copies.set(content, copy + 1);
    const cell = (field: ImportField) => cells[fields.indexOf(field)] ?? "";
    const readings = meters.flatMap(({ heading, unit, column }): Reading[] => {
      const text = cells[column] ?? "";
      return text ? [{ heading, text, unit: withUnit(text).unit ?? unit }] : [];
    });
    const { values, unknown, used } = readRow(cell, { defaults, metric, readings, hasMeters });
    const leftOut = readings
      .filter((reading) => reading !== used)
      .map(({ heading, text }) => `${heading} ${text}`);
    // A reading in one of several columns says more about the meter than the unit's column.
    if (!unknown.has("unit") && cell("unit") && readUnit(cell("unit")) !== values.unit) {
      leftOut.push(`${headings[fields.indexOf("unit")] ?? ""} ${cell("unit")}`.trim());
    }
    const problems = problemsOf(values, unknown);
    const taken = unitNumbers.find(values.unitNumber);
    if (taken && !problems.has("unitNumber")) {
      problems.set("unitNumber", { kind: "taken", duplicate: taken });
    }
    const duplicates = new Map<"name" | "serialNumber", Duplicate>();
    if (problems.size === 0) {
      const sameName = names.find(values.name);
      const sameSerial = serials.find(values.serialNumber);
      if (sameName) duplicates.set("name", sameName);
      if (sameSerial) duplicates.set("serialNumber", sameSerial);
      names.add(values.name, number);
      serials.add(values.serialNumber, number);
      unitNumbers.add(values.unitNumber, number);
    }
    return { id: `${copy} ${content}`, number, values, problems, duplicates, leftOut };
  });
}

function readRow(
  cell: (field: ImportField) => string,
  {
    defaults,
    metric,
    readings,
    hasMeters,
  }: {
    defaults: Defaults;
    metric: boolean;
    readings: readonly Reading[];
    /** Whether there are several columns of readings. */
    hasMeters: boolean;
  },
) {
  const unknown = new Set<ImportField>();
  const choice = (field: ImportField, read: (text: string) => string | undefined) => {
    const text = cell(field);
    const word = read(text);
    if (text && !word) unknown.add(field);
    return word ?? (text || undefined);
  };
  const line = (field: ImportField) => cell(field).replaceAll(/\s+/g, " ");
  const type = choice("type", readType) ?? defaults.type;
  const usual = proposalsFor(type, metric);
  const stated = choice("unit", readUnit);
  const distances = isDistance(usual.unit) ? ["miles", "kilometers"] : [];
  const served = unitServed(readings, withUnit(cell("lastServiceUsage")).text);
  const used = fitting(readings, [stated, served, usual.unit, ...distances, defaults.unit]);
  // An interval of "10,000 km" has the unit of a reading without one, but "500 h" of a truck is
  // more likely another meter.
  const unitOfFigures = figures
    .map((field) => withUnit(cell(field)).unit)
    .find((word) => word && (!usual.unit || (isDistance(word) && isDistance(usual.unit))));
  const unit =
    (hasMeters ? used?.unit : undefined) ??
    stated ??
    // A trailer has no reading in a column of hours.
    used?.unit ??
    unitOfFigures ??
    usual.unit ??
    defaults.unit;
  const fuel = readFuel(cell("fuel"));
  if (cell("fuel") && !fuel) unknown.add("fuel");
  const operationalStatus = readOperational(cell("operationalStatus"));
  if (cell("operationalStatus") && !operationalStatus) unknown.add("operationalStatus");
  // An amount in another unit stays as typed, which is not a number.
  const figure = (text: string) => {
    const amount = withUnit(text);
    return amount.unit === undefined || amount.unit === unit ? amount.text : text;
  };
  const values: EquipmentValues = {
    ...blankValues,
    name: line("name"),
    type,
    unitNumber: line("unitNumber"),
    serialNumber: line("serialNumber"),
    group: line("group"),
    operationalStatus: operationalStatus ?? blankValues.operationalStatus,
    unit,
    fuel: fuel ?? usual.fuel ?? blankValues.fuel,
    currentUsage: figure(used?.text ?? ""),
    threshold: figure(cell("threshold")),
    serviceInterval: figure(cell("serviceInterval")),
    lastServiceUsage: figure(cell("lastServiceUsage")),
    description: cell("description"),
  };
  return { values, unknown: new Map([...unknown].map((field) => [field, cell(field)])), used };
}

/** The reading in the first of the units that has one; a cell without digits, such as "-", is none. */
function fitting(
  readings: readonly Reading[],
  units: ReadonlyArray<string | undefined>,
): Reading | undefined {
  const amounts = readings.filter(({ text }) => /\d/.test(text));
  const found = units.map((unit) => unit && amounts.find((one) => one.unit === unit));
  return found.find(Boolean) || amounts[0] || readings[0];
}

/** The unit of the reading that is nearest above the last service, which has the same unit. */
function unitServed(readings: readonly Reading[], lastService: string): UnitWord | undefined {
  const last = parseDecimal(lastService) ?? 0;
  if (last <= 0) return undefined;
  const amounts = readings.map(({ text, unit }) => {
    const amount = parseDecimal(withUnit(text).text);
    return { unit, since: amount === null || amount < last ? Infinity : amount - last };
  });
  const [nearest] = amounts.toSorted((left, right) => left.since - right.since);
  return nearest && nearest.since < Infinity ? nearest.unit : undefined;
}

/** "4,812.5 hrs" is an amount with a unit. */
function withUnit(text: string): { text: string; unit?: UnitWord } {
  const [, amount = "", word = ""] = /^(.*\d)\s*(\p{L}+)\.?$/u.exec(text) ?? [];
  const unit = readUnit(word);
  return unit && unit !== "n/a" ? { text: amount, unit } : { text };
}

const isDistance = (unit: string | undefined) => unit === "miles" || unit === "kilometers";

const figures = ["currentUsage", "threshold", "serviceInterval", "lastServiceUsage"] as const;

function problemsOf(
  values: EquipmentValues,
  unknown: ReadonlyMap<ImportField, string>,
): Map<ImportField, Problem> {
  const problems = new Map<ImportField, Problem>();
  const { issues = [] } = v.safeParse(equipmentSchema, values);
  for (const { path, message } of issues) {
    const field = importFields.find((each) => each === path?.[0].key);
    if (field && !problems.has(field)) problems.set(field, { kind: "invalid", message });
  }
  const usage = parseDecimal(values.currentUsage) ?? 0;
  if (usage > 0 && (parseDecimal(values.lastServiceUsage) ?? 0) > usage) {
    problems.set("lastServiceUsage", {
      kind: "invalid",
      message: key("refusals.LAST_SERVICE_ABOVE_USAGE"),
    });
  }
  for (const field of figures) {
    if (!hasPointGroups(values[field])) continue;
    const message = key("equipment-import.problems.numberFormat");
    problems.set(field, { kind: "invalid", message });
  }
  for (const [field, word] of unknown) problems.set(field, { kind: "unknown", word });
  for (const field of importFields) {
    const max = maxLengths[field];
    if (max !== undefined && values[field].length > max)
      problems.set(field, { kind: "tooLong", max });
  }
  return problems;
}

/** Finds machines and rows with the same text, without regard to case and accents. */
class DuplicateIndex {
  readonly #known = new Map<string, Duplicate>();

  constructor(existing: readonly Equipment[], textOf: (one: Equipment) => string | undefined) {
    for (const one of existing) this.#set(textOf(one) ?? "", { name: one.name });
  }

  find(text: string): Duplicate | undefined {
    return this.#known.get(plainText(text.trim()));
  }

  add(text: string, row: number): void {
    this.#set(text, { row });
  }

  #set(text: string, duplicate: Duplicate): void {
    const plain = plainText(text.trim());
    if (plain && !this.#known.has(plain)) this.#known.set(plain, duplicate);
  }
}
