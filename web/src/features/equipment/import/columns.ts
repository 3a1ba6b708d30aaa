import { parseDecimal } from "#/shared/form/decimal";
import type { Line } from "./read-sheet";
import { meterOfHeading, phrases, readUnit, wordKey } from "./words";

/** The fields of a machine that a column can have. */
export const importFields = [
  "name",
  "type",
  "unitNumber",
  "serialNumber",
  "group",
  "unit",
  "currentUsage",
  "fuel",
  "serviceInterval",
  "lastServiceUsage",
  "threshold",
  "operationalStatus",
  "description",
] as const;

export type ImportField = (typeof importFields)[number];

/** The field of each column; null for one that is left out. */
export type ColumnFields = ReadonlyArray<ImportField | null>;

// Includes the headings of the form and of the exported equipment list in both languages.
const fieldOfHeading = phrases<ImportField>([
  [
    "name",
    "name, equipment, equipment name, machine, machine name, asset, asset name, unit name, vehicle, vehicle name, nombre, nombre del equipo, equipo, máquina, nombre de la máquina, activo, nombre de la unidad, vehículo",
  ],
  [
    "type",
    "type, equipment type, category, class, tipo, tipo de equipo, categoría, clase, clasificación",
  ],
  [
    "unitNumber",
    "unit number, number, no., unit id, asset number, asset id, asset tag, equipment number, equipment id, fleet number, machine number, número de unidad, número, núm., número económico, económico, no. eco, número de activo, número de equipo, número de máquina, número de eco, eco, clave, clave del equipo, código, código del equipo, code, equipment code, id",
  ],
  [
    "serialNumber",
    "serial number, serial, s/n, vin, vin number, vin/serial, serial/vin, vin/serial number, vin/serial/model number, serie, número de serie, vin / número de serie o modelo, niv, vin/serie, serie/vin, chasis, número de chasis",
  ],
  [
    "group",
    "group, crew, site, job site, project, location, department, yard, grupo, cuadrilla, obra, proyecto, frente, ubicación, departamento, área, patio",
  ],
  [
    "unit",
    "unit, units, measurement unit, unit of measure, meter type, meter unit, uom, unidad, unidades, unidad de medida, tipo de medidor",
  ],
  [
    "currentUsage",
    "current usage, usage, current reading, reading, meter reading, hours, hrs, current hours, engine hours, meter, current meter, hourmeter, hour meter, miles, mi, current miles, mileage, km, kilometers, odometer, uso actual, uso, lectura actual, lectura, horas, horas actuales, horas de motor, medidor, medidor actual, lectura del medidor, horómetro, horómetro actual, lectura del horómetro, millas, millaje, kilómetros, kilometraje, odómetro, odómetro actual, lectura del odómetro, horas de uso, horas trabajadas, hour meter reading, odometer reading",
  ],
  ["fuel", "fuel type, fuel, tipo de combustible, combustible"],
  [
    "serviceInterval",
    "service interval, interval, maintenance interval, service every, intervalo de servicio, intervalo, intervalo de mantenimiento, servicio cada, mantenimiento cada, cada, cada cuánto, cada cuántas horas, cada cuántos km, frecuencia, frecuencia de servicio, frecuencia de mantenimiento, horas entre servicios, every, frequency, service frequency, maintenance every, pm interval",
  ],
  [
    "lastServiceUsage",
    "last service usage, last service, last serviced, last service reading, last service hours, uso en el último servicio, último servicio, lectura del último servicio, horas del último servicio, último mantenimiento, km del último servicio, last maintenance, last pm, hours at last service",
  ],
  [
    "threshold",
    "threshold, lifespan, equipment lifespan, expected life, useful life, vida útil, vida útil del equipo",
  ],
  ["operationalStatus", "operational status, estado operativo"],
  [
    "description",
    "description, notes, description/notes, comments, remarks, descripción, notas, descripción y notas, comentarios, observaciones",
  ],
]);

function fieldOf(heading: string): ImportField | undefined {
  const known = fieldOfHeading(heading);
  if (known) return known;
  const plain = heading.replaceAll(/\([^)]*\)|\[[^\]]*\]/g, "");
  // "Hours / Miles"
  const [first, ...others] = plain.split(/\/|\s(?:or|o|y|and)\s/i).map(fieldOfHeading);
  return others.every((field) => field === first) ? first : undefined;
}

/** Titles and notes may be above the headings. */
const linesSearched = 5;

/** The index of the line with the headings; -1 if there is none. */
export function findHeadings(lines: readonly Line[]): number {
  const found = lines.slice(0, linesSearched).findIndex(({ cells }) => isHeadings(cells));
  const headings = lines[found]?.cells ?? [];
  // Words that are repeated below are values, such as types and units.
  const isRepeated = lines
    .slice(found + 1)
    .some(({ cells }) =>
      headings.some((heading, at) => heading && wordKey(heading) === wordKey(cells[at] ?? "")),
    );
  return isRepeated ? -1 : found;
}

function isHeadings(cells: readonly string[]): boolean {
  const known = new Set(cells.map(fieldOf).filter(Boolean));
  const hasNumbers = cells.some((cell) => parseDecimal(cell) !== null);
  return !hasNumbers && (known.has("name") || known.size > 1);
}

/**
 * Whether two columns can't have the same field: only readings can be in several columns, one for
 * each unit.
 */
export function excludes(
  field: ImportField | null,
  one: string,
  other: string,
  metric: boolean,
): boolean {
  const [first, second] = [meterOfHeading(one, metric), meterOfHeading(other, metric)];
  return field !== null && (field !== "currentUsage" || !first || !second || first === second);
}

/** The fields that the headings name; the first of several columns that exclude each other counts. */
export function matchColumns(
  headings: readonly string[],
  rows: readonly Line[],
  metric = false,
): ColumnFields {
  const used: Array<{ field: ImportField; heading: string }> = [];
  const valuesAt = (column: number) => rows.map(({ cells }) => cells[column] ?? "").filter(Boolean);
  const hasUnits = (column: number) => valuesAt(column).some(readUnit);
  const isUsed = (field: ImportField, heading: string) =>
    used.some((one) => one.field === field && excludes(field, one.heading, heading, metric));
  const take = (heading: string, ...fields: Array<ImportField | undefined>) => {
    const field = fields.find((each) => each && !isUsed(each, heading));
    if (field) used.push({ field, heading });
    return field ?? null;
  };
  const isUnit = (heading: string) => /^(?:unit|unidad)$/.test(wordKey(heading));
  const clear = headings.map((heading, column) => {
    if (isUnit(heading)) return hasUnits(column) ? take(heading, "unit") : null;
    // "Meter" is a heading of readings and of units, "Medida" also of sizes.
    const isMeter = /^(?:meter|medidor|medida)$/.test(wordKey(heading));
    return take(heading, isMeter && hasUnits(column) ? "unit" : fieldOf(heading));
  });
  // "Unit" is also a common heading of unit numbers.
  return clear.map((field, column) => {
    const heading = headings[column] ?? "";
    if (!isUnit(heading) || hasUnits(column)) return field;
    return valuesAt(column).length > 0
      ? take(heading, "unitNumber", "unit")
      : take(heading, "unit");
  });
}
