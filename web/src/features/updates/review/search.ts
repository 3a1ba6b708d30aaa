import * as v from "valibot";

const decisionFilters = ["applied", "rejected", "taken_back"] as const;
export type DecisionFilter = (typeof decisionFilters)[number];

export const reviewSearchSchema = v.object({
  tab: v.fallback(v.optional(v.literal("decided")), undefined),
  /** Of the waiting ones only those without a flag. */
  unflagged: v.fallback(v.optional(v.literal(true)), undefined),
  /** Of the decided ones only these. */
  decision: v.fallback(v.optional(v.picklist(decisionFilters)), undefined),
  /** The waiting one to focus. */
  update: v.fallback(v.optional(v.string()), undefined),
  /** The one that was taken back to focus. */
  takenBack: v.fallback(v.optional(v.string()), undefined),
});

export type ReviewSearch = v.InferOutput<typeof reviewSearchSchema>;
