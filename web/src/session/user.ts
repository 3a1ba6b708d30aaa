import * as v from "valibot";
import { languages } from "#/i18n/languages";
import type { Identity } from "#/device/identity";

export const fuelUnits = ["gallons", "litres"] as const;

export const userSchema = v.object({
  id: v.string(),
  companyId: v.nullable(v.string()),
  firstName: v.nullable(v.string()),
  lastName: v.nullable(v.string()),
  email: v.nullable(v.string()),
  secondaryEmail: v.nullable(v.string()),
  role: v.picklist(["owner", "manager", "operator", "support"]),
  businessName: v.nullable(v.string()),
  operatorUsername: v.nullable(v.string()),
  securityQuestionsSet: v.boolean(),
  /** The company requires a second factor that the user has not set up. */
  secondFactorMissing: v.optional(v.boolean(), false),
  /** The company's unit of fuel amounts; null for support staff. */
  fuelUnit: v.optional(v.nullable(v.picklist(fuelUnits)), null),
  /** Chosen by the user; null if not, in a shared session, and for support staff. */
  language: v.optional(v.nullable(v.picklist(languages))),
  notices: v.array(v.object({ id: v.string(), kind: v.string(), at: v.string() })),
});

export type User = v.InferOutput<typeof userSchema>;

const notStored = {
  email: null,
  secondaryEmail: null,
  securityQuestionsSet: false,
  secondFactorMissing: false,
  notices: [],
};

/** An operator whom this device knows without the server. */
export const userOf = (identity: Identity): User => ({ ...identity, ...notStored });
