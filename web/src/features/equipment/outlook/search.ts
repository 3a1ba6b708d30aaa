import * as v from "valibot";
import { groupSchema } from "#/domain/equipment-filter";

/** The view of the Service page in the URL; by machine if absent. */
export const outlookSearchSchema = v.object({
  view: v.fallback(
    v.optional(v.picklist(["machine", "task", "type", "group", "calendar"])),
    undefined,
  ),
  /** The month of the calendar; this one if absent. */
  month: v.fallback(
    v.optional(v.pipe(v.string(), v.regex(/^20\d{2}-(?:0[1-9]|1[0-2])$/))),
    undefined,
  ),
  group: groupSchema,
});

export type OutlookSearch = v.InferOutput<typeof outlookSearchSchema>;
