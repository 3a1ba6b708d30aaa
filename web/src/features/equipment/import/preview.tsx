import { clsx } from "clsx";
import { CircleAlert, CircleCheck, CircleDot, Copy, type LucideIcon } from "lucide-react";
import { useMemo } from "react";
import type { TFunction } from "i18next";
import { useTranslation } from "react-i18next";
import { equipmentTypes } from "#/domain/equipment-types";
import { equipmentFuels, meterUnits } from "#/domain/equipment-words";
import { parseDecimal } from "#/shared/form/decimal";
import { useFormat } from "#/shared/format/use-format";
import type { Column } from "#/shared/table/column";
import { DataTable } from "#/shared/table/data-table";
import { Checkbox } from "#/shared/ui/toggle";
import { operationalLabel } from "#/shared/words/operational-label";
import { useEquipmentLabels, type EquipmentLabels } from "#/shared/words/use-equipment-labels";
import type { CheckedRow } from "./check-rows";
import type { ColumnFields, ImportField } from "./columns";
import { fieldLabel, useRowTexts } from "./texts";

export const rowStates = ["ready", "failed", "error", "duplicate", "added"] as const;
export type RowState = (typeof rowStates)[number];

export interface ImportRow extends CheckedRow {
  state: RowState;
  chosen: boolean;
  /** Why the server refused it. */
  failure?: unknown;
}

const icons: Record<RowState, LucideIcon> = {
  ready: CircleDot,
  failed: CircleAlert,
  error: CircleAlert,
  duplicate: Copy,
  added: CircleCheck,
};

/** Shown for every sheet, even without such a column. */
const always: readonly ImportField[] = [
  "type",
  "unit",
  "fuel",
  "currentUsage",
  "serviceInterval",
  "lastServiceUsage",
];
const others: readonly ImportField[] = [
  "unitNumber",
  "serialNumber",
  "group",
  "threshold",
  "operationalStatus",
  "description",
];
const figures = new Set<ImportField>([
  "currentUsage",
  "serviceInterval",
  "lastServiceUsage",
  "threshold",
]);

/** The rows as they would be added. */
export function Preview({
  rows,
  fields,
  locked,
  onChoose,
}: {
  rows: readonly ImportRow[];
  fields: ColumnFields;
  /** While rows are being added. */
  locked: boolean;
  /** Stable. */
  onChoose: (id: string, on: boolean) => void;
}) {
  const { t } = useTranslation();
  const columns = usePreviewColumns({ fields, locked, onChoose });
  return (
    <DataTable
      label={t("equipment-import.preview")}
      columns={columns}
      rows={rows}
      rowKey={({ id }) => id}
      compact
      tableFrom={720}
      empty={<p className="p-6 text-center text-muted">{t("equipment-import.problems.none")}</p>}
    />
  );
}

function usePreviewColumns({
  fields,
  locked,
  onChoose,
}: Omit<Parameters<typeof Preview>[0], "rows">) {
  const { t } = useTranslation();
  const labels = useEquipmentLabels();
  const format = useFormat();
  return useMemo(() => {
    const texts = { t, labels, format };
    const shown = [...always, ...others.filter((field) => fields.includes(field))];
    return [
      {
        id: "choose",
        header: t("equipment-bulk.column"),
        card: "title",
        cell: (row) => (
          <Checkbox
            aria-label={t("equipment-import.choose", {
              name: row.values.name || "—",
              row: row.number,
            })}
            checked={row.chosen}
            disabled={locked || row.state === "error" || row.state === "added"}
            onChange={(event) => onChoose(row.id, event.target.checked)}
          />
        ),
      },
      {
        id: "row",
        header: t("equipment-import.row"),
        align: "end",
        cell: (row) => <div className="whitespace-nowrap text-muted">{row.number}</div>,
      },
      {
        id: "name",
        header: fieldLabel(t, "name"),
        card: "title",
        cell: (row) => (
          <span className="block min-w-48 font-semibold wrap-anywhere">
            <Value row={row} field="name" />
          </span>
        ),
      },
      {
        id: "state",
        header: t("equipment-import.state"),
        card: "line",
        cell: (row) => <State row={row} />,
      },
      ...shown.map((field): Column<ImportRow> => ({
        id: field,
        header: fieldLabel(t, field),
        align: figures.has(field) ? "end" : "start",
        cell: (row) => <Value row={row} field={field} text={textOf(texts, row, field)} />,
        cardCell: (row) => (
          <div className="wrap-anywhere">
            <Value row={row} field={field} text={textOf(texts, row, field)} />
          </div>
        ),
      })),
    ] satisfies Array<Column<ImportRow>>;
  }, [t, labels, format, fields, locked, onChoose]);
}

interface Texts {
  t: TFunction;
  labels: EquipmentLabels;
  format: ReturnType<typeof useFormat>;
}

function Value({
  row,
  field,
  text = row.values.name,
}: {
  row: ImportRow;
  field: ImportField;
  text?: string;
}) {
  const problem = row.problems.get(field);
  const shown = problem?.kind === "unknown" ? problem.word : text;
  return (
    <span
      className={clsx(
        field === "description" && "line-clamp-2",
        problem && "font-semibold text-danger",
        !shown && "text-muted",
      )}
    >
      {shown || "—"}
    </span>
  );
}

function textOf({ t, labels, format }: Texts, row: ImportRow, field: ImportField): string {
  const { values } = row;
  switch (field) {
    // As it would be stored; a refused one as typed.
    case "currentUsage":
    case "serviceInterval":
    case "lastServiceUsage":
    case "threshold": {
      const figure = row.problems.has(field) ? null : parseDecimal(values[field]);
      if (figure !== null) return format.number(figure);
      return field === "lastServiceUsage" && values[field] === ""
        ? countsFromText({ t, format }, row)
        : values[field];
    }
    case "type": {
      const type = equipmentTypes.find((word) => word === values.type);
      return type ? labels.type(type) : values.type;
    }
    case "unit": {
      const unit = meterUnits.find((word) => word === values.unit);
      return unit ? labels.unit(unit) : values.unit;
    }
    case "fuel": {
      const fuel = equipmentFuels.find((word) => word === values.fuel);
      return fuel ? labels.fuel(fuel) : "";
    }
    case "operationalStatus":
      return operationalLabel(t, values.operationalStatus);
    default:
      return values[field];
  }
}

/** The first service counts from the reading if the last one is not known. */
function countsFromText({ t, format }: Pick<Texts, "t" | "format">, row: ImportRow): string {
  const interval = parseDecimal(row.values.serviceInterval) ?? 0;
  const reading = parseDecimal(row.values.currentUsage);
  return interval > 0 && reading !== null
    ? t("equipment-import.countsFrom", { reading: format.number(reading) })
    : "";
}

function State({ row }: { row: ImportRow }) {
  const { t } = useTranslation();
  const texts = useRowTexts();
  const { state } = row;
  const labels: Record<RowState, string> = {
    ready: t("equipment-import.states.ready"),
    failed: t("equipment-import.states.failed"),
    error: t("equipment-import.states.error"),
    duplicate: t("equipment-import.states.duplicate"),
    added: t("equipment-import.states.added"),
  };
  const Icon = icons[state];
  const isBad = state === "error" || state === "failed";
  const reasons =
    state === "error"
      ? texts.problems(row)
      : state === "failed"
        ? texts.failure(row.failure)
        : state === "duplicate" || state === "ready"
          ? texts.duplicates(row).map((text) => ({ label: "", text }))
          : [];
  return (
    <div className="min-w-48">
      <p
        className={clsx(
          "flex items-center gap-1.5 font-semibold",
          isBad ? "text-danger" : state !== "duplicate" && "text-muted",
        )}
      >
        <Icon
          aria-hidden
          className={clsx(
            "size-4 shrink-0",
            state === "added" && "text-good-mark",
            state === "duplicate" && "text-soon-mark",
          )}
        />
        {labels[state]}
      </p>
      {reasons.map(({ label, text }) => (
        <p key={`${label} ${text}`} className="text-sm wrap-anywhere">
          {label && <span className="font-semibold">{label}: </span>}
          {text}
        </p>
      ))}
      {row.leftOut.length > 0 && (
        <p className="text-sm wrap-anywhere">
          {t("equipment-import.columns.leftOut", { names: row.leftOut.join(", ") })}
        </p>
      )}
    </div>
  );
}
