import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError, createRouterTransport } from "@connectrpc/connect";
import {
  NotificationSchema,
  NotificationsService,
  type Notification,
  type SecurityEventKind,
} from "#/api/gen/hourmeter/notifications/v1/notifications_pb";
import { SettingsService } from "#/api/gen/hourmeter/notifications/v1/settings_pb";
import { SmsService } from "#/api/gen/hourmeter/notifications/v1/sms_pb";

type What = NonNullable<MessageInitShape<typeof NotificationSchema>["what"]>;

/** A notification at noon, the given number of days ago. */
export function notification(number: number, days: number, what: What, read = false): Notification {
  const noon = new Date();
  noon.setDate(noon.getDate() - days);
  noon.setHours(12, 0, 0, 0);
  const happenedAt = timestampFromDate(noon);
  return create(NotificationSchema, { number: BigInt(number), happenedAt, read, what });
}

export const flagged = (operatorName: string, equipmentName: string, flags = ["jump"]): What => ({
  case: "flaggedUpdate",
  value: {
    updateId: `u-${equipmentName}`,
    equipmentId: "e",
    equipmentName,
    operatorName,
    flags,
  },
});

export const returned = (equipmentName: string, reason: string, voided = false): What => ({
  case: "returnedUpdate",
  value: {
    updateId: "u",
    equipmentId: "e",
    equipmentName,
    returnedBy: "Dana Ruiz",
    reason,
    voided,
  },
});

export const security = (kind: SecurityEventKind, browser: string): What => ({
  case: "securityEvent",
  value: { personId: "p", kind, browser },
});

export const failedPayment = (accessUntil: Date): What => ({
  case: "failedPayment",
  value: { accessUntil: timestampFromDate(accessUntil) },
});

export const statusChange = (status: string, changedBy = "Rosa Díaz"): What => ({
  case: "statusChange",
  value: { equipmentId: "e", equipmentName: "EX-01", status, changedBy },
});

/** A server with these notifications, newest first. */
export function notificationsServer(stored: Notification[]) {
  const state = {
    /** The calls that fail. */
    fails: new Set<"list" | "mark">(),
    /** Delays the responses to marks. */
    gate: Promise.resolve(),
    marked: [] as (readonly bigint[])[],
    markedUpTo: [] as bigint[],
    cursors: [] as string[],
    counted: 0,
  };
  const check = (call: "list" | "mark") => {
    if (state.fails.has(call)) throw new ConnectError("The disk is full.", Code.Internal);
  };
  const count = () => ({ unread: Math.min(100, stored.filter(({ read }) => !read).length) });
  const mark = async (concerns: (number: bigint) => boolean) => {
    await state.gate;
    check("mark");
    for (const each of stored) each.read ||= concerns(each.number);
    return count();
  };
  const transport = createRouterTransport(({ service }) => {
    service(SettingsService, { getWatch: () => ({}) });
    service(SmsService, { getSmsNumber: () => ({}) });
    service(NotificationsService, {
      countUnread: () => {
        state.counted += 1;
        return count();
      },
      listNotifications: ({ unreadOnly, page }) => {
        const { limit = 0, cursor = "" } = page ?? {};
        state.cursors.push(cursor);
        check("list");
        const rows = stored.filter(({ read }) => !unreadOnly || !read);
        const from = Number(cursor);
        const to = from + limit;
        const nextCursor = to < rows.length ? String(to) : "";
        return { notifications: rows.slice(from, to), page: { nextCursor } };
      },
      markRead: ({ numbers }) => {
        state.marked.push(numbers);
        return mark((number) => numbers.includes(number));
      },
      markAllRead: ({ upTo }) => {
        state.markedUpTo.push(upTo);
        return mark((number) => number <= upTo);
      },
    });
  });
  return { transport, state };
}
