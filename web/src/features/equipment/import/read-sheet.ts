import Papa from "papaparse";
import { plainCell } from "#/shared/csv/csv";

export const maxRows = 1000;
/** In bytes of a file, or characters of a pasted text. */
export const maxSize = 1_000_000;

/** A line of a sheet that is not empty. */
export interface Line {
  /** Its number in the sheet, from 1. */
  number: number;
  cells: readonly string[];
}

/** The text of a file: UTF-8, "Unicode text" or what Excel saves as CSV. Null if it has no text. */
export function decodeFile(bytes: Uint8Array): string | null {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder("utf-16le").decode(bytes);
  // Only workbooks and the like have zeros.
  if (bytes.includes(0)) return null;
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder("windows-1252").decode(bytes);
  }
}

export function readSheet(text: string): Line[] {
  const options = {
    // Copied cells are separated by tabs, and may contain commas.
    delimiter: text.split(/\r\n?|\n/, 5).some((line) => line.includes("\t")) ? "\t" : "",
    delimitersToGuess: [",", ";", "\t", "|"],
  };
  const quoted = Papa.parse<string[]>(text, options);
  // Quotes that don't enclose a cell, such as those of inches.
  const isBroken = quoted.errors.some(({ type }) => type === "Quotes");
  const { data } = isBroken ? Papa.parse<string[]>(text, { ...options, quoteChar: "\0" }) : quoted;
  return data
    .map((cells, index) => ({
      number: index + 1,
      cells: cells.map((cell) => plainCell(cell.trim()).trim()),
    }))
    .filter(({ cells }) => cells.some(Boolean));
}
