import { ChevronDown, TriangleAlert } from "lucide-react";
import { useState, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { equipmentTypes } from "#/domain/equipment-types";
import { meterUnits } from "#/domain/equipment-words";
import { CheckboxInput } from "#/shared/form/inputs/checkbox-input";
import { Notice } from "#/shared/ui/notice";
import { Select } from "#/shared/ui/select";
import { useEquipmentLabels } from "#/shared/words/use-equipment-labels";
import type { Defaults } from "./check-rows";
import { importFields, type ColumnFields, type ImportField } from "./columns";
import { fieldLabel } from "./texts";

/** What each column of the sheet contains. */
export function ColumnsCard({
  columns,
  fields,
  headingsRow,
  hasHeadings,
  onHeadings,
  onField,
}: {
  /** The heading and the first value of each column. */
  columns: ReadonlyArray<{ id: string; heading: string; example: string }>;
  fields: ColumnFields;
  /** The number of the row that has the headings, or could have them. */
  headingsRow: number;
  hasHeadings: boolean;
  onHeadings: (on: boolean) => void;
  onField: (column: number, field: ImportField | null) => void;
}) {
  const { t } = useTranslation();
  const hasName = fields.includes("name");
  const [open, setOpen] = useState(false);
  const named = columns.map(
    ({ heading }, at) => heading || t("equipment-import.columns.number", { number: at + 1 }),
  );
  const leftOut = named.filter((_, at) => !fields[at]);
  return (
    <details
      className="group rounded-card border border-line bg-raised"
      open={open || !hasName}
      onToggle={(event) => setOpen(event.currentTarget.open)}
    >
      <summary className="flex cursor-pointer list-none items-start gap-3 rounded-card px-4 py-3 md:px-5 [&::-webkit-details-marker]:hidden">
        <span className="min-w-0 flex-1">
          <span className="block text-lg font-semibold">{t("equipment-import.columns.title")}</span>
          <span className="block text-sm wrap-anywhere text-muted">
            {t("equipment-import.columns.matched", { count: columns.length - leftOut.length })}
          </span>
          {leftOut.length > 0 && (
            <span className="mt-1 flex items-start gap-1.5 text-sm font-semibold wrap-anywhere">
              <TriangleAlert aria-hidden className="mt-0.5 size-4 shrink-0 text-soon-mark" />
              {t("equipment-import.columns.leftOut", { names: leftOut.join(", ") })}
            </span>
          )}
        </span>
        <ChevronDown
          aria-hidden
          className="mt-1 size-5 shrink-0 text-muted transition-transform group-open:rotate-180"
        />
      </summary>
      <div className="space-y-4 px-4 pb-4 md:px-5">
        {!hasName && (
          <Notice>
            {hasHeadings
              ? t("equipment-import.columns.noName")
              : t("equipment-import.columns.noHeadings")}
          </Notice>
        )}
        <CheckboxInput
          label={t("equipment-import.columns.headings", { row: headingsRow })}
          checked={hasHeadings}
          onChange={(event) => onHeadings(event.target.checked)}
        />
        <div className="grid gap-x-4 gap-y-3 md:grid-cols-2 lg:grid-cols-3">
          {columns.map(({ id, example }, at) => (
            <div key={id} className="min-w-0">
              <p className="truncate font-semibold">{named[at]}</p>
              <p className="mb-1.5 truncate text-sm text-muted">
                {example ? t("equipment-import.columns.forExample", { value: example }) : "—"}
              </p>
              <Select
                label={named[at] ?? ""}
                value={fields[at] ?? undefined}
                options={importFields.map((field) => ({
                  value: field,
                  label: fieldLabel(t, field),
                }))}
                all={t("equipment-import.columns.leaveOut")}
                onChange={(field) => onField(at, field ?? null)}
              />
            </div>
          ))}
        </div>
      </div>
    </details>
  );
}

/** The type and the unit of rows that have none; only those that are needed. */
export function DefaultsChoice({
  defaults,
  needed,
  onDefaults,
}: {
  defaults: Defaults;
  needed: Record<keyof Defaults, boolean>;
  onDefaults: (defaults: Defaults) => void;
}) {
  const { t } = useTranslation();
  const labels = useEquipmentLabels();
  const all = t("equipment-form.fields.choose");
  if (!needed.type && !needed.unit) return null;
  return (
    <div className="grid gap-4 rounded-card border border-line bg-raised p-4 md:grid-cols-2 md:px-5">
      {needed.type && (
        <Labelled label={t("equipment-import.columns.type")}>
          <Select
            label={t("equipment-import.columns.type")}
            value={equipmentTypes.find((type) => type === defaults.type)}
            options={equipmentTypes.map((type) => ({ value: type, label: labels.type(type) }))}
            all={all}
            onChange={(type) => onDefaults({ ...defaults, type: type ?? "" })}
          />
        </Labelled>
      )}
      {needed.unit && (
        <Labelled label={t("equipment-import.columns.unit")}>
          <Select
            label={t("equipment-import.columns.unit")}
            value={meterUnits.find((unit) => unit === defaults.unit)}
            options={meterUnits.map((unit) => ({ value: unit, label: labels.unit(unit) }))}
            all={all}
            onChange={(unit) => onDefaults({ ...defaults, unit: unit ?? "" })}
          />
        </Labelled>
      )}
    </div>
  );
}

function Labelled({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div>
      <p aria-hidden className="mb-1.5 font-semibold">
        {label}
      </p>
      {children}
    </div>
  );
}
