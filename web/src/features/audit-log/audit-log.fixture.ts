import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { AuditEventSchema, type AuditEvent } from "#/api/gen/hourmeter/common/v1/audit_pb";

export function line(
  more: Omit<MessageInitShape<typeof AuditEventSchema>, "$typeName">,
): AuditEvent {
  return create(AuditEventSchema, {
    id: "e1",
    at: { seconds: BigInt(Date.UTC(2026, 10, 20, 14, 15, 7) / 1000), nanos: 123_456_000 },
    event: "sign_in",
    outcome: "success",
    actorId: "p1",
    actorName: "Dana Ruiz",
    scope: "full",
    addressPrefix: "203.0.113.0/24",
    requestId: "r1",
    targetName: "",
    detail: "",
    ...more,
  });
}
