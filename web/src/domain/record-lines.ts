// The server writes into a record what was edited and what a service was, in fixed English lines.
// Recognised, they can be told in the reader's language; everything else stays as it came.

const editedFields = [
  "Name",
  "Type",
  "Serial number",
  "Unit",
  "Current usage",
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

export type RecordLine =
  | { kind: "change"; field: EditedField; before: string; after: string }
  | { kind: "parts" }
  | { kind: "description" }
  | { kind: "cost"; cents: number }
  | { kind: "performedOn"; date: string }
  | { kind: "text"; text: string };

const fields = editedFields.join("|");
const change = new RegExp(`^(${fields}): (.*?) → (.*)$`, "s");
// Only where the next part begins: a name may hold a semicolon itself.
const between = new RegExp(`; (?=(?:${fields}): |Service parts changed|Description changed)`);

/** "Name: Loader → Loader 2; Description changed" */
export function editLines(content: string): RecordLine[] {
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

/** The notes of a service; below them its cost, and its day where that was another one. */
export function serviceLines(content: string): RecordLine[] {
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
