import type { RetiredEquipment } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { plainText } from "#/domain/names";

/** The rows whose name, unit or serial number, group, notes or retirer contain the search, ignoring case and accents. */
export function searchArchive(
  rows: readonly RetiredEquipment[],
  search: string | undefined,
): readonly RetiredEquipment[] {
  const part = plainText(search?.trim() ?? "");
  if (!part) return rows;
  return rows.filter((row) =>
    [
      row.name,
      row.unitNumber ?? "",
      row.serialNumber ?? "",
      row.group ?? "",
      row.retirementNotes,
      row.retiredBy,
    ].some((text) => plainText(text).includes(part)),
  );
}

export interface ArchiveTotals {
  count: number;
  fuel: number;
  withNotes: number;
}

export function totalsOf(rows: readonly RetiredEquipment[]): ArchiveTotals {
  // Summed in hundredths to avoid floating-point remainders.
  const hundredths = rows.reduce((sum, row) => sum + Math.round(row.totalFuelUsed * 100), 0);
  return {
    count: rows.length,
    fuel: hundredths / 100,
    withNotes: rows.filter((row) => row.retirementNotes.trim() !== "").length,
  };
}
