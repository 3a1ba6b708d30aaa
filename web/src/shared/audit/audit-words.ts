import { key, type TextKey } from "#/i18n/key";
import type { AuditCategory } from "./audit-categories";

// The texts of audit events. The server writes the names of AuditEventType in lower case; a test compares
// this table and the texts with that enum.

type Party = "actor" | "target";

/** A text, and an alternative without an unknown person. */
export interface AuditSentence {
  text: TextKey;
  without?: { party: Party; text: TextKey };
}

export interface AuditWord {
  category: AuditCategory;
  done: AuditSentence;
  /**
   * Text for a refused or failed attempt; omitted if the text already describes a refusal or
   * nothing can fail.
   */
  tried?: AuditSentence;
  /** The event is about one person, who may be recorded as actor or as target. */
  holder?: true;
  /** The kind of an unnamed `target`; a plan is named by its tier. */
  target?: "person" | "equipment" | "plan";
  /** The actor if none is recorded. */
  defaultActor?: TextKey;
  /** Texts for specific details. */
  byDetail?: Readonly<Record<string, AuditSentence>>;
  /** The same for a refused or failed attempt. */
  triedByDetail?: Readonly<Record<string, AuditSentence>>;
}

export const auditWords = {
  sign_up: { category: "access", done: { text: key("audit-log.words.sign_up.done") } },
  sign_in: {
    category: "access",
    done: { text: key("audit-log.words.sign_in.done") },
    tried: {
      text: key("audit-log.words.sign_in.tried"),
      without: { party: "target", text: key("audit-log.words.sign_in.triedBare") },
    },
    triedByDetail: {
      totp_required: { text: key("audit-log.words.sign_in.codeAsked") },
      totp_wrong: { text: key("audit-log.words.sign_in.codeWrong") },
      recovery_code_wrong: { text: key("audit-log.words.sign_in.codeWrong") },
      passkey_wrong: { text: key("audit-log.words.sign_in.codeWrong") },
    },
  },
  sign_out: {
    category: "access",
    done: { text: key("audit-log.words.sign_out.done") },
    holder: true,
  },
  session_replaced: {
    category: "access",
    done: {
      text: key("audit-log.words.session_replaced.done"),
      without: { party: "actor", text: key("audit-log.words.session_replaced.doneBare") },
    },
    holder: true,
  },
  session_crowded_out: {
    category: "access",
    done: {
      text: key("audit-log.words.session_crowded_out.done"),
      without: { party: "actor", text: key("audit-log.words.session_crowded_out.doneBare") },
    },
    holder: true,
  },
  session_expired: {
    category: "access",
    done: {
      text: key("audit-log.words.session_expired.done"),
      without: { party: "actor", text: key("audit-log.words.session_expired.doneBare") },
    },
    holder: true,
  },
  session_reused: {
    category: "access",
    done: {
      text: key("audit-log.words.session_reused.done"),
      without: { party: "actor", text: key("audit-log.words.session_reused.doneBare") },
    },
    holder: true,
  },
  reauthentication: {
    category: "access",
    done: { text: key("audit-log.words.reauthentication.done") },
    tried: { text: key("audit-log.words.reauthentication.tried") },
    holder: true,
  },
  password_changed: {
    category: "people",
    done: { text: key("audit-log.words.password_changed.done") },
    tried: { text: key("audit-log.words.password_changed.tried") },
    holder: true,
  },
  password_reset: {
    category: "people",
    done: { text: key("audit-log.words.password_reset.done") },
    tried: { text: key("audit-log.words.password_reset.tried") },
    target: "person",
    byDetail: {
      personal_password_cleared: { text: key("audit-log.words.password_reset.cleared") },
    },
  },
  password_recovery: {
    category: "people",
    done: { text: key("audit-log.words.password_recovery.done") },
    tried: { text: key("audit-log.words.password_recovery.tried") },
    holder: true,
    target: "person",
  },
  security_questions_set: {
    category: "people",
    done: { text: key("audit-log.words.security_questions_set.done") },
    tried: { text: key("audit-log.words.security_questions_set.tried") },
  },
  second_factor_on: {
    category: "access",
    done: { text: key("audit-log.words.second_factor_on.done") },
    byDetail: { authenticator: { text: key("audit-log.words.second_factor_on.done") } },
  },
  second_factor_off: {
    category: "access",
    done: { text: key("audit-log.words.second_factor_off.done") },
  },
  second_factor_reset: {
    category: "people",
    done: { text: key("audit-log.words.second_factor_reset.done") },
    target: "person",
  },
  second_factor_required: {
    category: "company",
    done: { text: key("audit-log.words.second_factor_required.done") },
    byDetail: { off: { text: key("audit-log.words.second_factor_required.off") } },
  },
  company_deletion_requested: {
    category: "company",
    done: { text: key("audit-log.words.company_deletion_requested.done") },
  },
  company_deletion_canceled: {
    category: "company",
    done: { text: key("audit-log.words.company_deletion_canceled.done") },
  },
  device_enrolled: {
    category: "access",
    done: { text: key("audit-log.words.device_enrolled.done") },
    byDetail: { person: { text: key("audit-log.words.device_enrolled.person") } },
  },
  device_removed: {
    category: "access",
    done: { text: key("audit-log.words.device_removed.done") },
    byDetail: { person: { text: key("audit-log.words.device_removed.person") } },
  },
  device_refused: {
    category: "access",
    done: { text: key("audit-log.words.device_refused.done") },
  },
  passkey_added: {
    category: "access",
    done: { text: key("audit-log.words.passkey_added.done") },
  },
  passkey_removed: {
    category: "access",
    done: { text: key("audit-log.words.passkey_removed.done") },
  },
  recovery_codes_replaced: {
    category: "access",
    done: { text: key("audit-log.words.recovery_codes_replaced.done") },
  },
  recovery_code_used: {
    category: "access",
    done: { text: key("audit-log.words.recovery_code_used.done") },
    holder: true,
    target: "person",
  },
  operator_password_set: {
    category: "people",
    done: { text: key("audit-log.words.operator_password_set.done") },
    tried: { text: key("audit-log.words.operator_password_set.tried") },
  },
  operator_password_tried: {
    category: "people",
    done: { text: key("audit-log.words.operator_password_tried.done") },
  },
  operator_password_revealed: {
    category: "people",
    done: { text: key("audit-log.words.operator_password_revealed.done") },
    tried: { text: key("audit-log.words.operator_password_revealed.tried") },
  },
  card_codes_created: {
    category: "people",
    done: { text: key("audit-log.words.card_codes_created.done") },
    tried: { text: key("audit-log.words.card_codes_created.tried") },
  },
  email_verified: {
    category: "access",
    done: { text: key("audit-log.words.email_verified.done") },
    tried: { text: key("audit-log.words.email_verified.tried") },
  },
  calendar_feed_created: {
    category: "access",
    done: { text: key("audit-log.words.calendar_feed_created.done") },
    tried: { text: key("audit-log.words.calendar_feed_created.tried") },
  },
  calendar_feed_deleted: {
    category: "access",
    done: { text: key("audit-log.words.calendar_feed_deleted.done") },
    tried: { text: key("audit-log.words.calendar_feed_deleted.tried") },
  },
  operator_password_revealed_by_support: {
    category: "company",
    done: { text: key("audit-log.words.operator_password_revealed_by_support.done") },
    tried: { text: key("audit-log.words.operator_password_revealed_by_support.tried") },
  },
  operator_added: {
    category: "people",
    done: {
      text: key("audit-log.words.operator_added.done"),
      without: { party: "target", text: key("audit-log.words.operator_added.doneBare") },
    },
    tried: {
      text: key("audit-log.words.operator_added.tried"),
      without: { party: "target", text: key("audit-log.words.operator_added.triedBare") },
    },
  },
  operator_changed: {
    category: "people",
    done: {
      text: key("audit-log.words.operator_changed.done"),
      without: { party: "target", text: key("audit-log.words.operator_changed.doneBare") },
    },
    tried: {
      text: key("audit-log.words.operator_changed.tried"),
      without: { party: "target", text: key("audit-log.words.operator_changed.triedBare") },
    },
  },
  operator_removed: {
    category: "people",
    done: {
      text: key("audit-log.words.operator_removed.done"),
      without: { party: "target", text: key("audit-log.words.operator_removed.doneBare") },
    },
    tried: {
      text: key("audit-log.words.operator_removed.tried"),
      without: { party: "target", text: key("audit-log.words.operator_removed.triedBare") },
    },
  },
  manager_added: {
    category: "people",
    done: {
      text: key("audit-log.words.manager_added.done"),
      without: { party: "target", text: key("audit-log.words.manager_added.doneBare") },
    },
    tried: {
      text: key("audit-log.words.manager_added.tried"),
      without: { party: "target", text: key("audit-log.words.manager_added.triedBare") },
    },
  },
  manager_changed: {
    category: "people",
    done: {
      text: key("audit-log.words.manager_changed.done"),
      without: { party: "target", text: key("audit-log.words.manager_changed.doneBare") },
    },
    tried: {
      text: key("audit-log.words.manager_changed.tried"),
      without: { party: "target", text: key("audit-log.words.manager_changed.triedBare") },
    },
  },
  manager_removed: {
    category: "people",
    done: {
      text: key("audit-log.words.manager_removed.done"),
      without: { party: "target", text: key("audit-log.words.manager_removed.doneBare") },
    },
    tried: {
      text: key("audit-log.words.manager_removed.tried"),
      without: { party: "target", text: key("audit-log.words.manager_removed.triedBare") },
    },
  },
  profile_changed: {
    category: "people",
    done: { text: key("audit-log.words.profile_changed.done") },
    tried: { text: key("audit-log.words.profile_changed.tried") },
  },
  email_changed: {
    category: "people",
    done: { text: key("audit-log.words.email_changed.done") },
    tried: { text: key("audit-log.words.email_changed.tried") },
  },
  company_renamed: {
    category: "company",
    done: { text: key("audit-log.words.company_renamed.done") },
    tried: { text: key("audit-log.words.company_renamed.tried") },
  },
  company_deleted: {
    category: "company",
    done: { text: key("audit-log.words.company_deleted.done") },
  },
  company_deletion_finished: {
    category: "company",
    done: { text: key("audit-log.words.company_deletion_finished.done") },
  },
  settings_changed: {
    category: "company",
    done: { text: key("audit-log.words.settings_changed.done") },
    tried: { text: key("audit-log.words.settings_changed.tried") },
  },
  permission_denied: {
    category: "refused",
    done: { text: key("audit-log.words.permission_denied.done") },
  },
  unknown_object: {
    category: "refused",
    done: { text: key("audit-log.words.unknown_object.done") },
  },
  request_refused: {
    category: "refused",
    done: {
      text: key("audit-log.words.request_refused.done"),
      without: { party: "actor", text: key("audit-log.words.request_refused.doneBare") },
    },
  },
  export: {
    category: "equipment",
    done: { text: key("audit-log.words.export.done") },
    tried: { text: key("audit-log.words.export.tried") },
  },
  equipment_deleted: {
    category: "equipment",
    done: { text: key("audit-log.words.equipment_deleted.done") },
    tried: { text: key("audit-log.words.equipment_deleted.tried") },
    target: "equipment",
  },
  equipment_retired: {
    category: "equipment",
    done: { text: key("audit-log.words.equipment_retired.done") },
    tried: { text: key("audit-log.words.equipment_retired.tried") },
    target: "equipment",
  },
  equipment_restored: {
    category: "equipment",
    done: { text: key("audit-log.words.equipment_restored.done") },
    tried: { text: key("audit-log.words.equipment_restored.tried") },
    target: "equipment",
  },
  fuel_reset: {
    category: "equipment",
    done: { text: key("audit-log.words.fuel_reset.done") },
    tried: { text: key("audit-log.words.fuel_reset.tried") },
  },
  equipment_limit_set: {
    category: "company",
    done: {
      text: key("audit-log.words.equipment_limit_set.done"),
      without: { party: "target", text: key("audit-log.words.equipment_limit_set.doneBare") },
    },
    tried: { text: key("audit-log.words.equipment_limit_set.tried") },
  },
  plan_changed: {
    category: "company",
    done: {
      text: key("audit-log.words.plan_changed.done"),
      without: { party: "actor", text: key("audit-log.words.plan_changed.doneBare") },
    },
    tried: {
      text: key("audit-log.words.plan_changed.tried"),
      without: { party: "actor", text: key("audit-log.words.plan_changed.triedBare") },
    },
    target: "plan",
    defaultActor: key("audit-log.actors.provider"),
    byDetail: {
      subscribed: {
        text: key("audit-log.words.plan_changed.subscribed"),
        without: { party: "actor", text: key("audit-log.words.plan_changed.subscribedBare") },
      },
      tier_changed: {
        text: key("audit-log.words.plan_changed.tierChanged"),
        without: { party: "actor", text: key("audit-log.words.plan_changed.tierChangedBare") },
      },
      interval_changed: {
        text: key("audit-log.words.plan_changed.intervalChanged"),
        without: { party: "actor", text: key("audit-log.words.plan_changed.intervalChangedBare") },
      },
      paused: {
        text: key("audit-log.words.plan_changed.paused"),
        without: { party: "actor", text: key("audit-log.words.plan_changed.pausedBare") },
      },
      resumed: {
        text: key("audit-log.words.plan_changed.resumed"),
        without: { party: "actor", text: key("audit-log.words.plan_changed.resumedBare") },
      },
      canceled: {
        text: key("audit-log.words.plan_changed.canceled"),
        without: { party: "actor", text: key("audit-log.words.plan_changed.canceledBare") },
      },
      cancel_undone: {
        text: key("audit-log.words.plan_changed.cancelUndone"),
        without: { party: "actor", text: key("audit-log.words.plan_changed.cancelUndoneBare") },
      },
      renewal_failed: { text: key("audit-log.words.plan_changed.renewalFailed") },
      expired: { text: key("audit-log.words.plan_changed.expired") },
      trial_canceled: {
        text: key("audit-log.words.plan_changed.trialCanceled"),
        without: { party: "actor", text: key("audit-log.words.plan_changed.trialCanceledBare") },
      },
      trial_ended: { text: key("audit-log.words.plan_changed.trialEnded") },
    },
  },
  trial_extended: {
    category: "company",
    done: {
      text: key("audit-log.words.trial_extended.done"),
      without: { party: "target", text: key("audit-log.words.trial_extended.doneBare") },
    },
    tried: { text: key("audit-log.words.trial_extended.tried") },
  },
  plan_set: {
    category: "company",
    done: {
      text: key("audit-log.words.plan_set.done"),
      without: { party: "target", text: key("audit-log.words.plan_set.doneBare") },
    },
    tried: { text: key("audit-log.words.plan_set.tried") },
    target: "plan",
  },
  webhook_refused: {
    category: "refused",
    done: { text: key("audit-log.words.webhook_refused.done") },
  },
  key_failure: { category: "refused", done: { text: key("audit-log.words.key_failure.done") } },
  staff_added: {
    category: "people",
    done: { text: key("audit-log.words.staff_added.done") },
    target: "person",
  },
  staff_enrolled: {
    category: "people",
    done: { text: key("audit-log.words.staff_enrolled.done") },
  },
  staff_reset: {
    category: "people",
    done: { text: key("audit-log.words.staff_reset.done") },
    target: "person",
  },
  staff_removed: {
    category: "people",
    done: { text: key("audit-log.words.staff_removed.done") },
    target: "person",
  },
  accounts_listed: {
    category: "company",
    done: { text: key("audit-log.words.accounts_listed.done") },
  },
} satisfies Record<string, AuditWord>;

/** Undefined for an event of a newer server. */
export function auditWord(word: string): AuditWord | undefined {
  return Object.hasOwn(auditWords, word) ? auditWordsByName[word] : undefined;
}

const auditWordsByName: Readonly<Record<string, AuditWord>> = auditWords;

/** The event names of a category, for the request's filter. */
export function wordsOf(category: AuditCategory): string[] {
  return Object.entries(auditWordsByName)
    .filter(([, word]) => word.category === category)
    .map(([name]) => name);
}

/** A readable form of an event without a text: "fuel_reset" -> "fuel reset". */
export function readableWord(word: string): string {
  return word.replaceAll(/[_\s]+/g, " ").trim();
}
