import { GrpcWeb } from "#/api/grpc-web";
import { NotificationBell } from "#/features/notifications/bell";

/** The bell with grpc-web, which the operator page has only later. */
export function OperatorBell() {
  return (
    <GrpcWeb>
      <NotificationBell />
    </GrpcWeb>
  );
}
