import { useCallback } from "react";
import { useTranslation } from "react-i18next";
import { auditWord, readableWord } from "#/shared/audit/audit-words";
import type { AuditEvent } from "#/api/gen/hourmeter/common/v1/audit_pb";

/** The outcome as text; a rejected request is refused, not failed. */
export function useOutcomeText(): (event: AuditEvent) => string {
  const { t } = useTranslation();
  return useCallback(
    (line) => {
      const { event, outcome } = line;
      if (isUnfinished(line)) return t("audit-log.outcomes.unfinished");
      switch (outcome) {
        case "success":
          return t("audit-log.outcomes.success");
        case "failed":
          return auditWord(event)?.category === "refused"
            ? t("audit-log.outcomes.refused")
            : t("audit-log.outcomes.failed");
        case "limited":
          return t("audit-log.outcomes.limited");
        default:
          return readableWord(outcome);
      }
    },
    [t],
  );
}

/** A right password, whose second step is an event of its own. */
export function isUnfinished({ event, outcome, detail }: AuditEvent): boolean {
  return event === "sign_in" && outcome === "failed" && detail === "totp_required";
}
