import { useMutation } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { useErrorText } from "#/api/error-text";
import { useFormat } from "#/shared/format/use-format";
import { usePrintReport } from "#/shared/print/use-print-report";
import { toast } from "#/shared/toast/store";
import { detailOf } from "#/shared/audit/detail-text";
import type { AuditFilter } from "./filter";
import { loadAll } from "./queries";
import { plainSentence } from "#/shared/audit/sentence";
import { useOutcomeText } from "./use-outcome-text";
import { instantOf, useZonedTime } from "./use-zoned-time";

/** Prints all filtered events, not only the loaded ones. */
export function useAuditPrint(filter: AuditFilter, zone: string) {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const format = useFormat();
  const time = useZonedTime(zone);
  const outcome = useOutcomeText();
  const print = usePrintReport();
  return useMutation({
    mutationFn: () => loadAll(filter, zone),
    onSuccess: (events) => {
      const shown = format.number(events.length);
      print({
        title: t("shell.titles.auditLog"),
        note: t("audit-log.shown", { count: events.length, shown }),
        columns: [
          { header: t("audit-log.export.time", { zone }) },
          { header: t("audit-log.export.what") },
          { header: t("audit-log.export.result") },
          { header: t("audit-log.export.detail") },
          { header: t("audit-log.export.network") },
        ],
        rows: events.map((event) => {
          const at = instantOf(event);
          const { reason, text } = detailOf(t, event);
          return [
            `${time.day(at)}, ${time.time(at)}`,
            plainSentence(t, event),
            outcome(event),
            reason ?? text ?? "",
            event.addressPrefix,
          ];
        }),
      });
    },
    onError: (error) => toast.failure(t("audit-log.print.failed"), errorText(error)),
  });
}
