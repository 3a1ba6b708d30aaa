import { downloadZip } from "client-zip";
import * as v from "valibot";
import { RestError } from "#/api/failure";
import { restList, restVoid } from "#/api/rest";
import { csv, type Cell } from "#/shared/csv/csv";

const rowSchema = v.record(v.string(), v.unknown());
const rowsSchema = v.pipe(v.string(), v.parseJson(), v.array(rowSchema));

type Row = v.InferOutput<typeof rowSchema>;

/** Lists of the company by file name. */
const lists = {
  equipment: "/api/equipment",
  "retired-equipment": "/api/retired-equipment",
  "equipment-history": "/api/equipment-history",
  "task-sets": "/api/task-sets",
  fuel: "/api/fuel-usage/export",
  "operator-updates": "/api/operator-updates",
  people: "/api/employees",
  "audit-log": "/api/audit-log",
};

/** One object each. */
const objects = {
  company: "/api/company-settings",
  subscription: "/api/subscription/info",
};

const maxAttempts = 10;

interface File {
  name: string;
  input: string;
}

/** Everything of the company as a ZIP file. */
export async function companyArchive(): Promise<Blob> {
  return downloadZip(await companyFiles()).blob();
}

/** Each list as CSV and as JSON, and the service tasks of all machines. */
export async function companyFiles(): Promise<File[]> {
  const files: File[] = [];
  await patiently(() => restVoid("POST", "/api/company-settings/export"));
  for (const [name, path] of Object.entries(objects)) {
    const { text } = await read(path);
    files.push({ name: `${name}.json`, input: text });
  }
  for (const [name, path] of Object.entries(lists)) {
    const rows = await allRows(path);
    files.push(...listFiles(name, rows));
    if (name === "equipment") files.push(...listFiles("service-tasks", await serviceTasks(rows)));
  }
  return files;
}

function read(path: string): ReturnType<typeof restList> {
  return patiently(() => restList(path));
}

/** Waits if the server asks for it: large companies reach the limit of large answers. */
async function patiently<T>(call: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await call();
    } catch (error) {
      const wait = error instanceof RestError && error.status === 429 ? error.retryAfter : null;
      if (wait === null || attempt === maxAttempts) throw error;
      await new Promise((resolve) => setTimeout(resolve, wait * 1000));
    }
  }
}

async function allRows(path: string): Promise<Row[]> {
  const rows: Row[] = [];
  let cursor: string | null = "";
  do {
    const page: { text: string; nextCursor: string | null } = await read(
      `${path}?${new URLSearchParams({ limit: "500", ...(cursor && { cursor }) }).toString()}`,
    );
    rows.push(...v.parse(rowsSchema, page.text));
    cursor = page.nextCursor;
  } while (cursor);
  return rows;
}

async function serviceTasks(equipment: readonly Row[]): Promise<Row[]> {
  const tasks: Row[] = [];
  // Other machines have only the task of the equipment form, which is part of the equipment.
  for (const { id, name } of equipment.filter((row) => Number(row["moreTasks"]) > 0)) {
    const { text } = await read(`/api/equipment/${String(id)}/service-tasks`);
    const rows = v.parse(rowsSchema, text);
    tasks.push(...rows.map((task) => ({ equipmentId: id, equipmentName: name, ...task })));
  }
  return tasks;
}

function listFiles(name: string, rows: readonly Row[]): File[] {
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const cells = rows.map((row) => columns.map((column) => cell(row[column])));
  return [
    { name: `${name}.csv`, input: csv(columns, cells) },
    { name: `${name}.json`, input: JSON.stringify(rows, null, 2) },
  ];
}

function cell(value: unknown): Cell {
  if (value === null || value === undefined) return null;
  return typeof value === "string" || typeof value === "number" ? value : JSON.stringify(value);
}
