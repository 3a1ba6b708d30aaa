import type { TFunction } from "i18next";
import { auditWord, readableWord } from "./audit-words";
import { requestText } from "./request-text";
import { key, type TextKey } from "#/i18n/key";
import type { AuditEvent } from "#/api/gen/hourmeter/common/v1/audit_pb";

/** By event and detail, because the meaning of a detail depends on the event. */
const textByDetail: Readonly<Record<string, TextKey>> = {
  "sign_in email": key("audit-log.details.email"),
  "sign_in business_name": key("audit-log.details.businessName"),
  "sign_in sign_up": key("audit-log.details.signUp"),
  "sign_in operator_login_own_password": key("audit-log.details.ownPassword"),
  "sign_in operator_login_shared_password": key("audit-log.details.sharedPassword"),
  "sign_in operator_login_card_code": key("audit-log.details.cardCode"),
  "password_reset personal_password_set": key("audit-log.details.personalPassword"),
  "password_reset sign_in_password_set": key("audit-log.details.signInPassword"),
  "password_reset owner": key("audit-log.details.ownersPassword"),
  "password_reset operator_password": key("audit-log.details.sameAsShared"),
  "key_failure operator_password": key("audit-log.details.sealedPassword"),
  "export GET /api/audit-log": key("audit-log.details.auditLog"),
  "export AccountsService/ListAuditEvents": key("audit-log.details.auditLog"),
  "export EquipmentService/ListAuditEvents": key("audit-log.details.auditLog"),
  "export BillingService/ListAuditEvents": key("audit-log.details.auditLog"),
  "export GET /api/equipment-history": key("audit-log.details.history"),
  "export GET /api/equipment-history/export": key("audit-log.details.history"),
  "export EquipmentService/ListHistory": key("audit-log.details.history"),
  "export GET /api/fuel-usage/export": key("audit-log.details.fuel"),
  "export POST /api/company-settings/export": key("audit-log.details.everything"),
  "webhook_refused signature": key("audit-log.details.webhookSignature"),
  "webhook_refused stale": key("audit-log.details.webhookStale"),
  "webhook_refused livemode": key("audit-log.details.webhookLivemode"),
  "webhook_refused form": key("audit-log.details.webhookForm"),
};

/** The gateway writes the request: a method and a path, or a service and its method. */
const requestPattern = /^[A-Z]+ \/|^\w+Service\//;
/** Only for events whose text does not already include it. */
const eventsWithRequest = new Set([
  "permission_denied",
  "unknown_object",
  "request_refused",
  "export",
]);

export interface Detail {
  /** The reason given by support. */
  reason: string | null;
  text: string | null;
}

/** The details of an event. Only support staff write free text. */
export function detailOf(t: TFunction, { event, detail, scope }: AuditEvent): Detail {
  if (detail !== "" && scope === "staff") return { reason: detail, text: null };
  return { reason: null, text: textOf(t, event, detail) };
}

function textOf(t: TFunction, event: string, detail: string): string | null {
  const word = auditWord(event);
  const byDetail = { ...word?.byDetail, ...word?.triedByDetail };
  // The sentence already includes it.
  if (detail === "" || Object.hasOwn(byDetail, detail)) return null;
  const id = `${event} ${detail}`;
  const textKey = Object.hasOwn(textByDetail, id) ? textByDetail[id] : undefined;
  if (textKey) return t(textKey);
  if (event === "card_codes_created") {
    return t("audit-log.details.cards", { count: Number(detail) });
  }
  if (event === "settings_changed" && detail.includes("=")) {
    return detail
      .split(" ")
      .map((setting) => settingText(t, setting))
      .join(" · ");
  }
  if (requestPattern.test(detail)) {
    return eventsWithRequest.has(event) ? requestText(t, detail) : null;
  }
  return sentenceCase(readableWord(detail));
}

/** "time_zone=America/Chicago". */
function settingText(t: TFunction, setting: string): string {
  const [name, value = ""] = setting.split("=");
  switch (name) {
    case "time_zone":
      return t("audit-log.details.timeZone", { zone: value });
    case "auto_apply_updates":
      return t(value === "on" ? "audit-log.details.autoApplyOn" : "audit-log.details.autoApplyOff");
    case "earlier_warnings":
      return t(
        value === "on"
          ? "audit-log.details.earlierWarningsOn"
          : "audit-log.details.earlierWarningsOff",
      );
    case "fuel_unit":
      return t(
        value === "litres" ? "audit-log.details.fuelInLitres" : "audit-log.details.fuelInGallons",
      );
    case "stale_after_days":
      return Number(value) === 0
        ? t("audit-log.details.neverStale")
        : t("audit-log.details.staleAfter", { count: Number(value) });
    default:
      // An unknown setting of a newer server.
      return readableWord(setting);
  }
}

function sentenceCase(text: string): string {
  return text.charAt(0).toLocaleUpperCase() + text.slice(1);
}
