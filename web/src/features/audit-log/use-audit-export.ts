import { useMutation } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { useErrorText } from "#/api/error-text";
import { csv, type Cell } from "#/shared/csv/csv";
import { download } from "#/shared/csv/download";
import { fileDate } from "#/shared/csv/file-date";
import { useFormat } from "#/shared/format/use-format";
import { toast } from "#/shared/toast/store";
import { detailOf } from "#/shared/audit/detail-text";
import { isFiltered, type AuditFilter } from "./filter";
import type { AuditEvent } from "#/api/gen/hourmeter/common/v1/audit_pb";
import { loadAll } from "./queries";
import { actorText, plainSentence, targetText } from "#/shared/audit/sentence";
import { useOutcomeText } from "./use-outcome-text";
import { instantOf, useZonedTime } from "./use-zoned-time";

/** Exports all filtered events, not only the loaded ones. */
export function useAuditExport(filter: AuditFilter, zone: string) {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const format = useFormat();
  const cells = useCells(zone);
  const refuse = () =>
    toast.failure(
      t("audit-log.export.none"),
      isFiltered(filter) ? t("audit-log.noMatch.text") : t("audit-log.export.noneText"),
    );
  const { mutate, isPending } = useMutation({
    mutationFn: () => loadAll(filter, zone),
    onSuccess: (events) => {
      if (events.length === 0) {
        refuse();
        return;
      }
      const header = [
        t("audit-log.export.time", { zone }),
        t("audit-log.export.timeUtc"),
        t("audit-log.export.person"),
        t("audit-log.export.what"),
        t("audit-log.export.result"),
        t("audit-log.export.concerns"),
        t("audit-log.export.detail"),
        t("audit-log.export.session"),
        t("audit-log.export.network"),
        t("audit-log.export.requestId"),
        t("audit-log.export.event"),
      ];
      download(`audit-log-${fileDate(new Date())}.csv`, csv(header, events.map(cells)));
      toast.success(
        t("audit-log.export.done"),
        t("audit-log.export.doneText", {
          count: events.length,
          rows: format.number(events.length),
        }),
      );
    },
    onError: (error) => toast.failure(t("audit-log.export.failed"), errorText(error)),
  });
  return {
    /** An empty list needs no request. */
    exportLog: (nothing: boolean) => (nothing ? refuse() : mutate()),
    exporting: isPending,
  };
}

function useCells(zone: string) {
  const { t } = useTranslation();
  const time = useZonedTime(zone);
  const outcome = useOutcomeText();
  const scopes: Readonly<Record<string, string>> = {
    full: t("audit-log.scopes.full"),
    operator: t("audit-log.scopes.operator"),
    staff: t("audit-log.scopes.staff"),
  };
  return (event: AuditEvent): Cell[] => {
    const { reason, text } = detailOf(t, event);
    const at = instantOf(event);
    return [
      time.sortable(at),
      at,
      actorText(t, event),
      plainSentence(t, event),
      outcome(event),
      targetText(t, event),
      reason ?? text ?? "",
      scopes[event.scope] ?? event.scope,
      event.addressPrefix,
      event.requestId,
      event.event,
    ];
  };
}
