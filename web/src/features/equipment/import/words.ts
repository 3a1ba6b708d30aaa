import { plainText } from "#/domain/names";
import type { TypeWord } from "#/domain/equipment-types";
import type { EquipmentFuelWord, OperationalWord, UnitWord } from "#/domain/equipment-words";

const fillers = new Set(["a", "al", "and", "at", "de", "del", "el", "en", "la", "of", "the", "y"]);
const number = /^(?:number|num|nr|nro|numero)$/;

/** "No. de serie", "Número de serie" and "NUMERO SERIE" have the same key: "noserie". */
export function wordKey(text: string): string {
  const words =
    plainText(text.normalize("NFKD"))
      .replaceAll("#", " no ")
      // "N°" is typed for "Nº".
      .replaceAll("°", "o")
      .match(/[a-z0-9]+/g) ?? [];
  return words
    .filter((word) => !fillers.has(word))
    .map((word) => word.replace(number, "no"))
    .join("");
}

/** Finds the value of a text among phrases that are separated by commas. */
export function phrases<Value>(
  lists: ReadonlyArray<readonly [Value, string]>,
): (text: string) => Value | undefined {
  const values = new Map(
    lists.flatMap(([value, list]) =>
      list.split(",").map((phrase): [string, Value] => [wordKey(phrase), value]),
    ),
  );
  return (text) => values.get(wordKey(text));
}

const none = "n/a, none, no aplica, ninguno, ninguna, not applicable";

const typeOf = phrases<TypeWord>([
  [
    "vehicle",
    "vehicle, vehicles, vehículo, vehículos, truck, trucks, pickup, pick-up, camión, camiones, camioneta, camionetas, troca, auto, car, carro, coche, van, suv",
  ],
  [
    "machinery",
    "machinery, machine, machines, maquinaria, máquina, máquinas, maquinaria pesada, equipo pesado, heavy equipment, heavy machinery, excavator, excavadora, retroexcavadora, backhoe, loader, cargador, dozer, bulldozer, grader, motoconformadora, crane, grúa, forklift, montacargas, tractor, roller, compactor, compactador, compactadora, skid steer, minicargador, telehandler, generator, generador, compressor, compresor",
  ],
  ["tools", "tools, tool, herramienta, herramientas"],
  ["other", "other, others, otro, otra, otros, otras, trailer, trailers, remolque, remolques"],
]);

/** Also of a text with one of the words: "Mini excavator", "Camión de volteo". */
export function readType(text: string): TypeWord | undefined {
  const types = new Set(text.split(/[^\p{L}]+/u).flatMap((word) => typeOf(word) ?? []));
  const [type] = types;
  return typeOf(text) ?? (types.size === 1 ? type : undefined);
}

export const readUnit = phrases<UnitWord>([
  ["hours", "hours, hour, hrs, hr, h, horas, hora"],
  ["miles", "miles, mile, mi, milla, millas"],
  ["kilometers", "kilometers, kilometer, kilometres, kilometre, km, kms, kilómetros, kilómetro"],
  ["n/a", `${none}, sin medidor, no meter`],
]);

export const readFuel = phrases<EquipmentFuelWord>([
  ["gasoline", "gasoline, gas, gasolina, petrol, unleaded, magna"],
  ["diesel", "diesel, diésel, dsl"],
  ["n/a", `${none}, electric, eléctrico, eléctrica`],
]);

export const readOperational = phrases<OperationalWord>([
  ["in_use", "in use, en uso, active, activo"],
  ["standing", "standing, parado, idle"],
  ["in_shop", "in the shop, in shop, en el taller"],
  ["out_of_service", "out of service, fuera de servicio"],
]);

const meterUnit = phrases<UnitWord>([
  ["hours", "hourmeter, horómetro"],
  ["miles", "mileage, millaje"],
  ["kilometers", "kilometraje"],
]);

const odometer = phrases<true>([
  [
    true,
    "odometer, current odometer, odometer reading, odómetro, odómetro actual, lectura del odómetro",
  ],
]);

/**
 * The unit that a heading names: "Horómetro", "Current miles", "Reading (km)". Undefined if it names
 * several: "Hours / Miles".
 */
export function unitOfHeading(heading: string): UnitWord | undefined {
  const words = heading.split(/[^\p{L}]+/u).filter(Boolean);
  const units = new Set(words.flatMap((word) => readUnit(word) ?? meterUnit(word) ?? []));
  const [unit] = units;
  const isOther = unit === "hours" && words.some((word) => odometer(word));
  return units.size === 1 && !isOther ? unit : undefined;
}

/** The unit in a column beside other readings, where an odometer's is the usual distance. */
export function meterOfHeading(heading: string, metric: boolean): UnitWord | undefined {
  const distance = metric ? "kilometers" : "miles";
  return unitOfHeading(heading) ?? (odometer(heading) ? distance : undefined);
}
