import { timestampDate } from "@bufbuild/protobuf/wkt";
import { useTranslation } from "react-i18next";
import type { Employee } from "#/api/gen/hourmeter/accounts/v1/accounts_pb";
import { useFormat } from "#/shared/format/use-format";
import { usePrintReport } from "#/shared/print/use-print-report";
import type { LastReports } from "./last-reports";
import { fullName } from "./queries";

/** Prints the operators on screen. */
export function useOperatorsPrint(lastReports: LastReports | undefined) {
  const { t } = useTranslation();
  const format = useFormat();
  const print = usePrintReport();
  return (operators: readonly Employee[], search: string | undefined) =>
    print({
      title: t("shell.titles.operators"),
      note: [
        t("operators.heading", { count: operators.length }),
        search && t("retired.searchedFor", { search }),
      ]
        .filter(Boolean)
        .join(" · "),
      columns: [
        { header: t("operators.columns.name") },
        { header: t("operators.columns.username") },
        { header: t("operators.columns.created") },
        { header: t("operators.columns.lastReport") },
      ],
      rows: operators.map((row) => {
        const reportedAt = lastReports?.get(row.id);
        return [
          fullName(row),
          [row.operatorUsername, row.hasPersonalPassword && t("operators.personalPassword")]
            .filter(Boolean)
            .join(" · "),
          row.createdAt ? format.instantDay(timestampDate(row.createdAt)) : "",
          reportedAt ? format.instant(reportedAt) : lastReports ? t("operators.neverReported") : "",
        ];
      }),
    });
}
