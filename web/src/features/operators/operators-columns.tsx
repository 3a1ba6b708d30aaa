import { timestampDate } from "@bufbuild/protobuf/wkt";
import { KeyRound, Pencil, Trash2 } from "lucide-react";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import type { Employee } from "#/api/gen/hourmeter/accounts/v1/accounts_pb";
import { useFormat } from "#/shared/format/use-format";
import type { Column } from "#/shared/table/column";
import { Badge } from "#/shared/ui/badge";
import { Button } from "#/shared/ui/button";
import { CopyUsername } from "./copy-username";
import { LastReport } from "./last-report";
import type { LastReports } from "./last-reports";
import { fullName } from "./queries";

export function useOperatorColumns({
  lastReports,
  onEdit,
  onReset,
  onRemove,
  editBlocked,
}: {
  lastReports: LastReports | undefined;
  onEdit: (operator: Employee) => void;
  onReset: (operator: Employee) => void;
  onRemove: (operator: Employee) => void;
  /** Why people can't be edited now. */
  editBlocked: string | undefined;
}): ReadonlyArray<Column<Employee>> {
  const { t } = useTranslation();
  const format = useFormat();
  return useMemo(
    () => [
      {
        id: "name",
        header: t("operators.columns.name"),
        card: "title",
        sortValue: fullName,
        cell: (row) => (
          <span dir="auto" className="font-semibold wrap-anywhere">
            {fullName(row)}
          </span>
        ),
      },
      {
        id: "username",
        header: t("operators.columns.username"),
        sortValue: (row) => row.operatorUsername ?? null,
        card: "line",
        cell: (row) => <Username operator={row} />,
        cardCell: (row) => (
          <>
            <span className="block text-xs text-muted">{t("operators.columns.username")}</span>
            <Username operator={row} />
          </>
        ),
      },
      {
        id: "created",
        header: t("operators.columns.created"),
        sortValue: (row) => Number(row.createdAt?.seconds ?? 0),
        cell: (row) =>
          row.createdAt && (
            <span className="whitespace-nowrap">
              {format.instantDay(timestampDate(row.createdAt))}
            </span>
          ),
      },
      {
        id: "lastReport",
        header: t("operators.columns.lastReport"),
        sortValue: (row) => lastReports?.get(row.id)?.getTime() ?? null,
        cell: (row) => lastReports && <LastReport at={lastReports.get(row.id)} />,
      },
      {
        id: "actions",
        header: t("operators.columns.actions"),
        headed: true,
        card: "actions",
        align: "end",
        cell: (row) => (
          <span className="inline-flex gap-1">
            <Button
              variant="quiet"
              icon
              aria-label={t("operators.form.editName", { name: fullName(row) })}
              disabledReason={editBlocked}
              onClick={() => onEdit(row)}
            >
              <Pencil aria-hidden className="size-4" />
            </Button>
            <Button
              variant="quiet"
              icon
              aria-label={t("admin-tools.resetOf", { name: fullName(row) })}
              onClick={() => onReset(row)}
            >
              <KeyRound aria-hidden className="size-4" />
            </Button>
            <Button
              variant="quiet"
              icon
              aria-label={t("operators.remove.name", { name: fullName(row) })}
              onClick={() => onRemove(row)}
            >
              <Trash2 aria-hidden className="size-4" />
            </Button>
          </span>
        ),
      },
    ],
    [t, format, lastReports, onEdit, onReset, onRemove, editBlocked],
  );
}

function Username({ operator }: { operator: Employee }) {
  const { t } = useTranslation();
  const { operatorUsername: username } = operator;
  if (!username) return null;
  return (
    <>
      <span className="mr-1.5 inline-flex items-center gap-1.5 whitespace-nowrap">
        <span className="font-mono">{username}</span>
        <CopyUsername username={username} />
      </span>
      {operator.hasPersonalPassword && <Badge>{t("operators.personalPassword")}</Badge>}
    </>
  );
}
