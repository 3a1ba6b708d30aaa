import { expect, it } from "vitest";
import { findHeadings, matchColumns } from "./columns";
import { readSheet } from "./read-sheet";
import { readFuel, readOperational, readType, readUnit, unitOfHeading } from "./words";

const match = (text: string) => {
  const lines = readSheet(text);
  return matchColumns(lines[0]?.cells ?? [], lines.slice(1));
};

it.each([
  ["Equipment Name", "name"],
  ["MAQUINA", "name"],
  ["Nombre del equipo", "name"],
  ["Tipo de Equipo", "type"],
  ["Unit #", "unitNumber"],
  ["No. económico", "unitNumber"],
  ["N.º económico", "unitNumber"],
  ["NÚMERO ECONÓMICO", "unitNumber"],
  ["N° económico", "unitNumber"],
  ["N.° Económico", "unitNumber"],
  ["Económico", "unitNumber"],
  ["# Eco", "unitNumber"],
  ["Clave", "unitNumber"],
  ["Asset No.", "unitNumber"],
  ["VIN", "serialNumber"],
  ["Núm. de serie", "serialNumber"],
  ["VIN/Serial/Model number", "serialNumber"],
  ["Cuadrilla", "group"],
  ["Unidad de medida", "unit"],
  ["Medidor", "currentUsage"],
  ["Medidor actual", "currentUsage"],
  ["Horómetro actual", "currentUsage"],
  ["HOROMETRO ACTUAL", "currentUsage"],
  ["Horómetro (hrs)", "currentUsage"],
  ["Odometro", "currentUsage"],
  ["Current usage [km]", "currentUsage"],
  ["Combustible", "fuel"],
  ["Service interval (h)", "serviceInterval"],
  ["Intervalo", "serviceInterval"],
  ["Cada cuánto", "serviceInterval"],
  ["CADA (HRS)", "serviceInterval"],
  ["Frecuencia de mantenimiento", "serviceInterval"],
  ["Uso en el último servicio", "lastServiceUsage"],
  ["Vida útil", "threshold"],
  ["Estado operativo", "operationalStatus"],
  ["Description/Notes", "description"],
  ["Color", null],
  ["Status", null],
  ["", null],
])("finds the field of the heading %j", (heading, field) => {
  expect(match(`${heading}\tX\n1\t2`)[0]).toBe(field);
});

it.each([
  ["Serial,VIN", ["serialNumber", null]],
  ["Hours,Hourmeter", ["currentUsage", null]],
  ["Reading,Hours", ["currentUsage", null]],
  ["Miles,Odometer", ["currentUsage", null]],
])("uses the first of several columns with the same field in %j", (headings, fields) => {
  expect(match(`Name,${headings}\nCrane,5,6`)).toEqual(["name", ...fields]);
});

it.each(["Hours,Miles", "Miles,Hrs.", "Horómetro,Odómetro", "Millas,Kilometraje"])(
  "uses the readings of all meters in %j",
  (headings) => {
    expect(match(`Name,${headings}\nCrane,5,6`)).toEqual(["name", "currentUsage", "currentUsage"]);
  },
);

it("takes a column “Meter” for readings unless it has units", () => {
  expect(match("Medidor\tNombre\t\n4,512.5\tGrúa")[0]).toBe("currentUsage");
  expect(match("Medidor\tHorómetro\tNombre\nhoras\t4512\tGrúa")).toEqual([
    "unit",
    "currentUsage",
    "name",
  ]);
});

it.each([
  ["Nombre\tUnidad\tTipo\tUnidad de medida\nGrúa\tT-7\tMaquinaria\tkm", 1, 3],
  ["Unit,Name,Measurement Unit\nT-7,Crane,km", 0, 2],
  ["Medida\tNombre\tUnidad\nkm\tGrúa\tT-7", 2, 0],
  ["Name,Number,Unit,Meter Type\nCrane,T-7,hrs,Hobbs", 1, 2],
  ["Nombre\tNúmero\tUnidad\tMedida\nGrúa\tT-7\thoras\t20 ft", 1, 2],
])("prefers a clear heading of the unit in %j", (text, number, unit) => {
  expect(match(text)[number]).toBe("unitNumber");
  expect(match(text)[unit]).toBe("unit");
});

it("takes a column “Unit” for numbers unless it has units", () => {
  expect(match("Unit,Name\nT-12,Truck")[0]).toBe("unitNumber");
  expect(match("Unit,Name\nhrs,Truck")[0]).toBe("unit");
  expect(match("Unit,Name\n,Truck")[0]).toBe("unit");
  expect(match("Unit,Unit number,Name\nT-12,5,Truck")[0]).toBe("unit");
});

it.each([
  ["Name\tHours\nCrane\t5", 0],
  ["Fleet 2026\n\nName\tHours\nCrane\t5", 1],
  ["Nombre\nGrúa", 0],
  ["Crane\tMachinery\t5", -1],
  ["Truck\tVehicle\tHours\nCrane\tMachinery\tHours", -1],
  ["Color\tYear\nred\tnew", -1],
  ["", -1],
])("finds the headings of %j", (text, index) => {
  expect(findHeadings(readSheet(text))).toBe(index);
});

it("reads words of both languages and common short forms", () => {
  expect(["Camión", "TRUCK", "Pick-up", "Vehículo"].map(readType)).toEqual(
    Array.from({ length: 4 }, () => "vehicle"),
  );
  expect(["maquinaria", "Retroexcavadora"].map(readType)).toEqual(["machinery", "machinery"]);
  expect(["Mini excavator", "Skid steer", "Plate compactor"].map(readType)).toEqual([
    "machinery",
    "machinery",
    "machinery",
  ]);
  expect(["Dump truck", "Camión de volteo", "Trailer", "Truck crane"].map(readType)).toEqual([
    "vehicle",
    "vehicle",
    "other",
    undefined,
  ]);
  expect(["Herramienta", "otro", "boat"].map(readType)).toEqual(["tools", "other", undefined]);
  expect(
    ["h", "Hrs.", "horas", "mi", "Km", "Kilómetros", "N/A", "No aplica"].map(readUnit),
  ).toEqual(["hours", "hours", "hours", "miles", "kilometers", "kilometers", "n/a", "n/a"]);
  expect(["Diésel", "DIESEL", "gas", "Gasolina", "n/a"].map(readFuel)).toEqual([
    "diesel",
    "diesel",
    "gasoline",
    "gasoline",
    "n/a",
  ]);
  expect(["En el taller", "Out of service", "gone"].map(readOperational)).toEqual([
    "in_shop",
    "out_of_service",
    undefined,
  ]);
});

it.each([
  ["Horómetro", "hours"],
  ["Current miles", "miles"],
  ["Lectura (km)", "kilometers"],
  ["Odometer", undefined],
])("finds the unit in the heading %j", (heading, unit) => {
  expect(unitOfHeading(heading)).toBe(unit);
});
