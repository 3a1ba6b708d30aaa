import { timestampDate } from "@bufbuild/protobuf/wkt";
import type { HistoryRecord, MonthFuelUse } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { dayIn } from "#/domain/calendar";

export interface MonthFigures {
  /** "YYYY-MM" */
  month: string;
  /** Of the services done in it. */
  cents: number;
  gas: number;
  diesel: number;
}

/** The months up to that of `today`, oldest first. */
export function lastMonths(today: string, count: number): string[] {
  const [year = 0, month = 1] = today.split("-").map(Number);
  return Array.from({ length: count }, (_, index) =>
    new Date(Date.UTC(year, month - count + index, 1)).toISOString().slice(0, 7),
  );
}

/** Voided services do not count. `zone` is the company's. */
export function monthFigures(
  months: readonly string[],
  services: readonly HistoryRecord[],
  fuel: readonly MonthFuelUse[],
  zone: string,
): MonthFigures[] {
  const cents = new Map<string, number>();
  for (const { voiding, performedOn, capturedAt, cost = 0 } of services) {
    if (voiding) continue;
    const day = performedOn || (capturedAt ? dayIn(zone, timestampDate(capturedAt)) : "");
    const month = day.slice(0, 7);
    cents.set(month, (cents.get(month) ?? 0) + Math.round(cost * 100));
  }
  return months.map((month) => {
    const used = fuel.find((row) => row.month === month);
    return {
      month,
      cents: cents.get(month) ?? 0,
      gas: used?.gas ?? 0,
      diesel: used?.diesel ?? 0,
    };
  });
}

/** The sum of one figure. */
export function total(figures: readonly MonthFigures[], of: (row: MonthFigures) => number): number {
  return figures.reduce((sum, row) => sum + of(row), 0);
}
