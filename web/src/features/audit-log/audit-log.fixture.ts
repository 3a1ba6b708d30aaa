import type { AuditEvent } from "./queries";

/** A line of the log for tests. */
export function line(more: Partial<AuditEvent>): AuditEvent {
  return {
    id: "e1",
    at: "2026-11-20T14:15:07.123456Z",
    event: "sign_in",
    outcome: "success",
    actorId: "p1",
    actorName: "Dana Ruiz",
    scope: "full",
    addressPrefix: "203.0.113.0/24",
    requestId: "r1",
    targetId: null,
    targetName: "",
    detail: "",
    ...more,
  };
}
