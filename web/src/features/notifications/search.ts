import * as v from "valibot";

export const notificationsSearchSchema = v.object({
  /** Only unread ones. */
  unread: v.fallback(v.optional(v.literal(true)), undefined),
});

export type NotificationsSearch = v.InferOutput<typeof notificationsSearchSchema>;
