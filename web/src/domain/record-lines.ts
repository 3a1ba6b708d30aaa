import { calendarUnits, type CalendarUnit } from "./calendar";
import { meterUnits, type UnitWord } from "./equipment-words";

// The server writes edits and services into an entry's content as fixed English lines. Recognized
// lines are translated; other text is shown unchanged.

const editedFields = [
  "Name",
  "Type",
  "Unit number",
  "Serial number",
  "Group",
  "Operational status",
  "Unit",
  "Current usage",
  "Meter reading",
  "Lifespan",
  "Fuel type",
  "Alert threshold",
  "Service interval",
  "Last serviced",
  "Scheduled maintenance",
  "Starting date",
  "Maintenance interval",
] as const;
export type EditedField = (typeof editedFields)[number];

const taskFields = [
  "Name",
  "Usage interval",
  "Calendar interval",
  "Last done at",
  "Last done on",
  "Counts",
  "First due at",
  "First due on",
  "Usage warning",
  "Calendar warning",
] as const;
export type TaskField = (typeof taskFields)[number];

export interface Amount {
  amount: number;
  unit: UnitWord;
}

export type ServiceField = "Cost" | "Performed on" | "Notes";

/** An interval by usage, by calendar or by both. */
export interface Recurrence {
  usage: Amount | null;
  period: { count: number; unit: CalendarUnit } | null;
}

export type RecordLine =
  | { kind: "change"; field: EditedField; before: string; after: string }
  | { kind: "taskAdded"; name: string; every: Recurrence }
  /** Without a name: the regular service. */
  | { kind: "taskChanged"; name: string | null }
  | { kind: "taskChange"; field: TaskField; before: string; after: string }
  | { kind: "taskRemoved"; name: string }
  /** Without a name: the regular service. Until a date or a usage. */
  | {
      kind: "snoozed";
      name: string | null;
      until: { date: string } | Amount;
      reason: string;
    }
  | { kind: "woken"; name: string | null }
  | {
      kind: "serviceChange";
      field: ServiceField;
      before: string;
      after: string;
    }
  | { kind: "parts" }
  | { kind: "description" }
  | { kind: "meterReplaced"; ended: Amount; began: Amount }
  | { kind: "meterRolledOver"; after: Amount }
  | { kind: "meterShows"; reading: Amount }
  | { kind: "cost"; cents: number }
  | { kind: "performedOn"; date: string }
  | { kind: "text"; text: string };

const fields = editedFields.join("|");
const change = new RegExp(`^(${fields}): (.*?) → (.*)$`, "s");
// Splits only before a known part, because a name may contain a semicolon.
const between = new RegExp(`; (?=(?:${fields}): |Service parts changed|Description changed)`);

const tasks = taskFields.join("|");
const taskChange = new RegExp(`^(${tasks}): (.*?) → (.*)$`, "s");
const betweenTaskFields = new RegExp(`; (?=(?:${tasks}): )`);
const task = /^Service task "(.*)" (added: every |changed: |removed$)(.*)$/s;

/** "Name: Loader → Loader 2; Description changed", or a change of a service task. */
export function editLines(content: string): RecordLine[] {
  return snoozeLine(content) ?? taskLines(content) ?? fieldLines(content);
}

const titled = String.raw`(?:Regular service|Service task "(.*)")`;
const snoozed = new RegExp(
  String.raw`^${titled} snoozed until (\d{4}-\d{2}-\d{2}|\d+(?:\.\d+)? [a-z/]+): (.*)$`,
  "s",
);
const woken = new RegExp(`^${titled} no longer snoozed$`, "s");

function snoozeLine(content: string): RecordLine[] | null {
  const over = woken.exec(content);
  if (over) return [{ kind: "woken", name: over[1] ?? null }];
  const [, name = null, end = "", reason] = snoozed.exec(content) ?? [];
  if (reason === undefined) return null;
  const amount = readUsage(end.replace(" n/a", ""));
  return [{ kind: "snoozed", name, until: amount ?? { date: end }, reason }];
}

function fieldLines(content: string): RecordLine[] {
  return content.split(between).map((part) => {
    if (part === "Service parts changed") return { kind: "parts" };
    if (part === "Description changed") return { kind: "description" };
    const [, label, before, after] = change.exec(part) ?? [];
    const field = editedFields.find((known) => known === label);
    return field && before !== undefined && after !== undefined
      ? { kind: "change", field, before, after }
      : { kind: "text", text: part };
  });
}

const regularChanged = "Regular service changed: ";

/**
 * Parses 'Service task "Oil" added: every 250 hours or 6 months'; null if it is not about a task.
 */
function taskLines(content: string): RecordLine[] | null {
  if (content.startsWith(regularChanged)) {
    return taskChanges(null, content.slice(regularChanged.length));
  }
  const [, name, what, rest] = task.exec(content) ?? [];
  if (name === undefined || rest === undefined) return null;
  if (what === "removed") return [{ kind: "taskRemoved", name }];
  if (what === "changed: ") return taskChanges(name, rest);
  const every = readRecurrence(rest);
  return every && [{ kind: "taskAdded", name, every }];
}

function taskChanges(name: string | null, changes: string): RecordLine[] {
  return [{ kind: "taskChanged", name }, ...changes.split(betweenTaskFields).map(taskFieldLine)];
}

function taskFieldLine(part: string): RecordLine {
  const [, label, before, after] = taskChange.exec(part) ?? [];
  const field = taskFields.find((known) => known === label);
  return field && before !== undefined && after !== undefined
    ? { kind: "taskChange", field, before, after }
    : { kind: "text", text: part };
}

/** "250 hours or 6 months"; null if a part is not recognized. */
function readRecurrence(text: string): Recurrence | null {
  const every: Recurrence = { usage: null, period: null };
  for (const part of text.split(" or ")) {
    const period = readPeriod(part);
    const usage = readUsage(part);
    if (period) every.period = period;
    else if (usage) every.usage = usage;
    else return null;
  }
  return every;
}

/** "6 months", "1 year" */
export function readPeriod(text: string): Recurrence["period"] {
  const [, count, word] = /^(\d+) ([a-z]+)$/.exec(text) ?? [];
  const unit = calendarUnits.find((known) => known === word || known === `${word}s`);
  return unit ? { count: Number(count), unit } : null;
}

/** "250 hours"; the number alone without a unit. */
function readUsage(text: string): Amount | null {
  const [, amount, word] = /^(\d+(?:\.\d+)?)(?: ([a-z]+))?$/.exec(text) ?? [];
  if (amount === undefined) return null;
  const unit =
    word === undefined ? "n/a" : meterUnits.find((known) => known === word || known === `${word}s`);
  return unit ? { amount: Number(amount), unit } : null;
}

// Notes are last, because they may contain anything.
const serviceEdit =
  /^(?:Cost: (\S+) → ([^\s;]+))?(?:; )?(?:Performed on: (\S+) → ([^\s;]+))?(?:; )?(?:Notes: (.*?) → (.*))?$/s;

/** "Cost: $5.00 → none; Performed on: 2026-03-09 → 2026-03-08; Notes: Oil → Oil and filter" */
export function serviceEditLines(content: string): RecordLine[] {
  const [, ...values] = serviceEdit.exec(content) ?? [];
  return (["Cost", "Performed on", "Notes"] as const).flatMap((field, index) => {
    const [before, after] = values.slice(2 * index);
    return before === undefined || after === undefined
      ? []
      : [{ kind: "serviceChange" as const, field, before, after }];
  });
}

const reading = String.raw`(\d+(?:\.\d+)? [a-z]+)`;
const replaced = new RegExp(
  `^Meter replaced: the old one ended at ${reading}, the new one began at ${reading}\\.`,
);
const rolledOver = new RegExp(`^Meter began again after ${reading}\\.`);
const shows = new RegExp(`^ It shows ${reading}\\.`);

/** Parses the end of a meter, followed by notes. */
export function meterLines(content: string): RecordLine[] {
  const ending = meterEnding(content);
  if (!ending) return content === "" ? [] : [{ kind: "text", text: content }];
  const lines: RecordLine[] = [ending.line];
  let rest = content.slice(ending.length);
  const shown = shows.exec(rest);
  const now = shown && readUsage(shown[1] ?? "");
  if (shown && now) {
    lines.push({ kind: "meterShows", reading: now });
    rest = rest.slice(shown[0].length);
  }
  const notes = rest.replace(/^\n/, "");
  return notes === "" ? lines : [...lines, { kind: "text", text: notes }];
}

function meterEnding(content: string): { line: RecordLine; length: number } | null {
  const [replacedText, end = "", start = ""] = replaced.exec(content) ?? [];
  const [ended, began] = [readUsage(end), readUsage(start)];
  if (replacedText !== undefined && ended && began) {
    return {
      line: { kind: "meterReplaced", ended, began },
      length: replacedText.length,
    };
  }
  const [rolledOverText, last = ""] = rolledOver.exec(content) ?? [];
  const after = readUsage(last);
  return rolledOverText !== undefined && after
    ? {
        line: { kind: "meterRolledOver", after },
        length: rolledOverText.length,
      }
    : null;
}

/** The content of a service of several tasks, from the contents of its entries. */
export function wholeService(contents: readonly string[]): string {
  const lines = contents.flatMap(serviceLines);
  const texts = lines.flatMap((line) => (line.kind === "text" ? line.text : []));
  const cents = lines.flatMap((line) => (line.kind === "cost" ? line.cents : []));
  const days = lines.flatMap((line) => (line.kind === "performedOn" ? line.date : []));
  const cost = cents.reduce((sum, one) => sum + one, 0) / 100;
  return [
    ...new Set(texts),
    ...(cents.length > 0 ? [`Cost: $${cost.toFixed(2)}`] : []),
    ...new Set(days.map((day) => `Performed on ${day}`)),
  ].join("\n");
}

/** The notes of a service, followed by its cost and, if it differs, its day. */
export function serviceLines(content: string): RecordLine[] {
  // Services contain such lines too.
  if (meterEnding(content)) return meterLines(content);
  const lines = content.split("\n");
  const facts: RecordLine[] = [];
  const date = /^Performed on (\d{4}-\d{2}-\d{2})$/.exec(lines.at(-1) ?? "")?.[1];
  if (date) {
    facts.unshift({ kind: "performedOn", date });
    lines.pop();
  }
  const cost = /^Cost: \$(\d+)\.(\d{2})$/.exec(lines.at(-1) ?? "");
  if (cost) {
    facts.unshift({ kind: "cost", cents: Number(`${cost[1]}${cost[2]}`) });
    lines.pop();
  }
  const text = lines.join("\n");
  return text === "" ? facts : [{ kind: "text", text }, ...facts];
}
