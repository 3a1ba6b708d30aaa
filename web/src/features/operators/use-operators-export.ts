import { timestampDate } from "@bufbuild/protobuf/wkt";
import { useTranslation } from "react-i18next";
import type { Employee } from "#/api/gen/hourmeter/accounts/v1/accounts_pb";
import { dayIn } from "#/domain/calendar";
import { useRoleLabel } from "#/shared/words/role-label";
import { csv } from "#/shared/csv/csv";
import { download } from "#/shared/csv/download";
import { fileDate } from "#/shared/csv/file-date";
import { useFormat } from "#/shared/format/use-format";
import { toast } from "#/shared/toast/store";
import { useCompanyZone } from "#/shared/use-company-day";
import type { LastReports } from "./last-reports";

export function useOperatorsExport(company: string, lastReports: LastReports | undefined) {
  const { t } = useTranslation();
  const format = useFormat();
  const roleLabel = useRoleLabel();
  const zone = useCompanyZone();
  return (operators: readonly Employee[], searched: boolean) => {
    if (operators.length === 0) {
      toast.failure(
        t("operators.export.none"),
        searched ? t("operators.noMatch.text") : t("operators.export.noneText"),
      );
      return;
    }
    const header = [
      t("operators.export.company"),
      t("operators.export.firstName"),
      t("operators.export.lastName"),
      t("operators.export.username"),
      t("operators.export.role"),
      t("operators.export.dateAdded"),
      t("operators.columns.lastReport"),
    ];
    const lastReport = ({ id }: Employee) => {
      const at = lastReports?.get(id);
      return at ? dayIn(zone, at) : "";
    };
    const rows = operators.map((operator) => [
      company,
      operator.firstName,
      operator.lastName,
      operator.operatorUsername ?? "",
      roleLabel("operator"),
      operator.createdAt ? fileDate(timestampDate(operator.createdAt)) : "",
      lastReport(operator),
    ]);
    download(`operators-${fileDate(new Date())}.csv`, csv(header, rows));
    toast.success(
      t("operators.export.done"),
      t("operators.export.doneText", { count: rows.length, rows: format.number(rows.length) }),
    );
  };
}
