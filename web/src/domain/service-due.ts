import type { Equipment } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { statusOfPercent, type ServiceStatus } from "./service-rules";

/** What the usage rule says in words: "overdue by", "service due at" or "until service" (section 4). */
export type ServiceDue =
  | { kind: "overdueBy"; amount: number; status: ServiceStatus; percent: number }
  | { kind: "dueAt"; at: number; status: ServiceStatus; percent: number }
  | { kind: "until"; amount: number; status: ServiceStatus; percent: number };

/** Null without a service interval. */
export function serviceDue(
  equipment: Pick<
    Equipment,
    "currentUsage" | "usagePercent" | "nextServiceDueUsage" | "serviceInterval" | "remainingUsage"
  >,
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
      return { kind: "dueAt", at: dueAt, status, percent };
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
