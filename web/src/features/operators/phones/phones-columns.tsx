import { timestampDate } from "@bufbuild/protobuf/wkt";
import { Trash2 } from "lucide-react";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import type { Device } from "#/api/gen/hourmeter/accounts/v1/accounts_pb";
import { useFormat } from "#/shared/format/use-format";
import type { Column } from "#/shared/table/column";
import { Badge } from "#/shared/ui/badge";
import { Button } from "#/shared/ui/button";

export function usePhoneColumns(onRemove: (phone: Device) => void): ReadonlyArray<Column<Device>> {
  const { t } = useTranslation();
  const format = useFormat();
  return useMemo(
    () => [
      {
        id: "label",
        header: t("operators.phones.phone"),
        card: "title",
        cell: (row) => (
          <span className="inline-flex max-w-full flex-wrap items-center gap-x-2 gap-y-1">
            <span dir="auto" className="min-w-0 font-semibold wrap-anywhere">
              {row.label}
            </span>
            {row.removedAt && (
              <Badge>
                {t("operators.phones.removedOn", {
                  date: format.instantDay(timestampDate(row.removedAt)),
                })}
              </Badge>
            )}
          </span>
        ),
      },
      {
        id: "people",
        header: t("operators.phones.people"),
        card: "line",
        cell: (row) =>
          row.people.length > 0 ? (
            <span dir="auto" className="wrap-anywhere">
              {row.people.map((person) => person.name).join(", ")}
            </span>
          ) : (
            <span className="text-muted">{t("operators.phones.nobody")}</span>
          ),
      },
      {
        id: "enrolled",
        header: t("operators.phones.enrolled"),
        wide: true,
        cell: (row) =>
          row.enrolledAt &&
          t("operators.phones.enrolledBy", {
            date: format.instantDay(timestampDate(row.enrolledAt)),
            name: row.enrolledBy,
          }),
      },
      {
        id: "contact",
        header: t("operators.phones.lastContact"),
        cell: (row) =>
          row.lastContact && (
            <span className="whitespace-nowrap">
              {format.instant(timestampDate(row.lastContact))}
            </span>
          ),
      },
      {
        id: "actions",
        header: t("operators.columns.actions"),
        card: "actions",
        align: "end",
        cell: (row) =>
          !row.removedAt && (
            <Button
              variant="quiet"
              icon
              aria-label={t("operators.phones.removeName", { label: row.label })}
              onClick={() => onRemove(row)}
            >
              <Trash2 aria-hidden className="size-4" />
            </Button>
          ),
      },
    ],
    [t, format, onRemove],
  );
}
