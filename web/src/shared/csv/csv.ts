export type Cell = string | number | null;

const byteOrderMark = "\uFEFF";

/** Characters that start a formula, including full-width forms in some spreadsheets. */
const formulaStart = /^[=+\-@＝＋－＠\p{Cc}]/u;
const plainNumber = /^[+-]?\d+(?:\.\d+)?$/;

/** RFC 4180 with a byte order mark for accents in spreadsheets; formulas are neutralized. */
export function csv(header: readonly string[], rows: readonly (readonly Cell[])[]): string {
  return byteOrderMark + [header, ...rows].map((row) => `${row.map(field).join(",")}\r\n`).join("");
}

/** Reads a cell that may be from such a file: without the apostrophe that neutralizes a formula. */
export function plainCell(text: string): string {
  return text.startsWith("'") && formulaStart.test(text.slice(1)) ? text.slice(1) : text;
}

function field(cell: Cell): string {
  if (cell === null) return "";
  if (typeof cell === "number") return Number.isFinite(cell) ? String(cell) : "";
  const text = formulaStart.test(cell) && !plainNumber.test(cell) ? `'${cell}` : cell;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
