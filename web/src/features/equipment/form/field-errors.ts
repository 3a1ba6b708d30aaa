import type { FieldPath, UseFormReturn } from "react-hook-form";
import { fieldMessage } from "#/api/error-text";
import { toFailure } from "#/api/errors";
import type { EquipmentValues } from "./schema";
import { blankValues } from "./values";

const renamed: Partial<Record<string, string>> = {
  fuelType: "fuel",
  meterReading: "currentUsage",
};

/** The form field of a field in the server's response; null if there is none. */
export function fieldOf(serverField: string): FieldPath<EquipmentValues> | null {
  const path = serverField
    .replace(/^equipment\./, "")
    .replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
  const part = /^serviceParts(?:\.parts)?[[.](\d+)\]?\.?(part|partNumber|quantity|qty)?$/.exec(
    path,
  );
  if (part) {
    const column = part[2] === "qty" ? "quantity" : (part[2] ?? "part");
    if (column === "part" || column === "partNumber" || column === "quantity") {
      return `serviceParts.${Number(part[1])}.${column}`;
    }
  }
  const name = renamed[path] ?? path;
  return isField(name) ? name : null;
}

function isField(name: string): name is Extract<keyof EquipmentValues, string> {
  return name in blankValues;
}

/** Sets the server's field errors and focuses the first one. */
export function showServerErrors(form: UseFormReturn<EquipmentValues>, error: unknown): void {
  let first = true;
  for (const [serverField, sentence] of Object.entries(toFailure(error).fields)) {
    const name = fieldOf(serverField);
    if (!name) continue;
    const message = fieldMessage(sentence);
    form.setError(name, { type: "server", message }, { shouldFocus: first });
    first = false;
  }
}
