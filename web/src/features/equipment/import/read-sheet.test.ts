import { expect, it } from "vitest";
import { csv } from "#/shared/csv/csv";
import { decodeFile, readSheet } from "./read-sheet";

const cells = (text: string) => readSheet(text).map((line) => line.cells);
const file = (text: string) => decodeFile(new TextEncoder().encode(text));

it.each([
  ["tabs, with commas in numbers", "Name\tHours\nCrane\t4,812.5", ["Crane", "4,812.5"]],
  ["commas", 'Name,Hours\nCrane,"4,812.5"', ["Crane", "4,812.5"]],
  ["semicolons, with decimal commas", "Name;Hours\r\nCrane;1,5\r\nDozer;2,5", ["Crane", "1,5"]],
  ["a line break in quotes", 'Name\tNotes\nCrane\t"red\nold"', ["Crane", "red\nold"]],
  ["quotes in quotes", 'Name,Size\nAuger,"12"" wide"', ["Auger", '12" wide']],
  ["quotes of inches", 'Name\tSize\n"Big auger\t12" wide', ['"Big auger', '12" wide']],
  ["spaces around cells", "Name\tHours\n Crane \t\u00a05 ", ["Crane", "5"]],
])("reads %s", (_, text, expected) => {
  expect(cells(text)[1]).toEqual(expected);
});

it("reads back an exported formula, and leaves other apostrophes", () => {
  const exported = csv(["Name"], [["=1+1"], ["-x"], ["'tis"]]);
  expect(cells(exported).flat()).toEqual(["Name", "=1+1", "-x", "'tis"]);
});

it("numbers lines as the sheet does, and leaves out empty ones", () => {
  const lines = readSheet("Name\tHours\n\n\t\nCrane\t5\n\n");
  expect(lines.map(({ number }) => number)).toEqual([1, 4]);
});

it.each(["", "\n", "\t\t\n"])("has no lines in %j", (text) => {
  expect(readSheet(text)).toEqual([]);
});

it("decodes UTF-8 with and without a byte order mark", () => {
  expect(cells(file("\uFEFFNombre,Año\nGrúa,1") ?? "")[0]).toEqual(["Nombre", "Año"]);
  expect(file("Grúa")).toBe("Grúa");
});

it("decodes what Excel saves as CSV and as Unicode text", () => {
  expect(decodeFile(Uint8Array.from([0x47, 0x72, 0xfa, 0x61]))).toBe("Grúa");
  expect(decodeFile(Uint8Array.from([0xff, 0xfe, 0x47, 0, 0xfa, 0]))).toBe("Gú");
});

it("finds no text in a workbook", () => {
  expect(decodeFile(Uint8Array.from([0x50, 0x4b, 3, 4, 20, 0]))).toBeNull();
});
