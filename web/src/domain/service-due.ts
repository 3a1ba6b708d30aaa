import type { Equipment } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { onDial, type Metered } from "./dial";
import type { ServiceStatus } from "./service-status";

/** The usage rule as text: "overdue by", "service due at" or "until service". */
export type ServiceDue =
  | { kind: "overdueBy"; amount: number; status: ServiceStatus; percent: number }
  /** `over`: how far it is past the point. `at` is null if it was passed on an earlier meter. */
  | { kind: "dueAt"; at: number | null; over: number; status: ServiceStatus; percent: number }
  | { kind: "until"; amount: number; status: ServiceStatus; percent: number };

/** Null without a service interval. A due point is on the meter's scale. */
export function serviceDue(
  equipment: Metered &
    Pick<Equipment, "usagePercent" | "nextServiceDueUsage" | "serviceInterval" | "remainingUsage">,
): ServiceDue | null {
  const percent = equipment.usagePercent;
  if (percent === undefined) return null;
  // Without a last service the interval counts from 0.
  const dueAt = equipment.nextServiceDueUsage ?? equipment.serviceInterval;
  const status = statusOfPercent(percent);
  const over = Math.round((equipment.currentUsage - dueAt) * 100) / 100;
  switch (status) {
    case "overdue":
      return { kind: "overdueBy", amount: over, status, percent };
    case "time_for_service":
      return pointReached(equipment, dueAt, { status, percent });
    case "good":
    case "approaching_service":
      return {
        kind: "until",
        amount: equipment.remainingUsage ?? Math.max(0, -over),
        status,
        percent,
      };
  }
}

/** The due point, and the distance past it. */
export function pointReached(
  equipment: Metered,
  dueAt: number,
  figures: { status: ServiceStatus; percent: number },
): ServiceDue {
  const at = onDial(equipment, dueAt);
  const over = Math.round((equipment.currentUsage - dueAt) * 100) / 100;
  return { kind: "dueAt", at: at < 0 ? null : at, over, ...figures };
}

/** The status at a percentage of the interval that the server has computed. */
function statusOfPercent(percent: number): ServiceStatus {
  if (percent < 80) return "good";
  if (percent < 100) return "approaching_service";
  return percent < 110 ? "time_for_service" : "overdue";
}
