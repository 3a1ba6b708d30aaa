import { useTransport } from "@connectrpc/connect-query";
import { useQuery } from "@tanstack/react-query";
import { clsx } from "clsx";
import { X } from "lucide-react";
import { useId, useState } from "react";
import { useTranslation } from "react-i18next";
import { employeesQuery } from "#/api/employees";
import type { Employee } from "#/api/gen/hourmeter/accounts/v1/accounts_pb";
import { auditCategories, type AuditCategory } from "./audit-categories";
import { Button } from "#/shared/ui/button";
import { inputClass } from "#/shared/ui/input-class";
import { Select } from "#/shared/ui/select";
import { firstDay, isDay, isFiltered, isWrongOrder, lastDay, type AuditFilter } from "./filter";

export function FilterBar({
  filter,
  onFilter,
  onClear,
  nameOfFormer,
}: {
  filter: AuditFilter;
  /** Merges these values into the filter. */
  onFilter: (change: Partial<AuditFilter>) => void;
  onClear: () => void;
  /** The name of the filtered person, if a loaded event has it. */
  nameOfFormer: string | undefined;
}) {
  const { t } = useTranslation();
  const labels = useCategoryLabels();
  const { people, failed } = usePeople(filter.person, nameOfFormer);
  const errorId = useId();
  const wrong = isWrongOrder(filter);
  const filtered = isFiltered(filter);
  return (
    <div role="search" aria-label={t("audit-log.filter.label")} className="no-print">
      <div
        className={clsx(
          "grid grid-cols-2 items-end gap-2",
          filtered
            ? "lg:grid-cols-[minmax(0,1fr)_minmax(0,1fr)_10.5rem_10.5rem_auto]"
            : "lg:grid-cols-[minmax(0,1fr)_minmax(0,1fr)_10.5rem_10.5rem]",
        )}
      >
        <div className="col-span-2 md:col-span-1">
          <Label>{t("audit-log.filter.category")}</Label>
          <Select
            label={t("audit-log.filter.category")}
            all={t("audit-log.filter.allCategories")}
            value={filter.category}
            options={auditCategories.map((value) => ({ value, label: labels[value] }))}
            onChange={(category) => onFilter({ category })}
          />
        </div>
        <div className="col-span-2 md:col-span-1">
          <Label>{t("audit-log.filter.person")}</Label>
          <Select
            label={t("audit-log.filter.person")}
            all={t("audit-log.filter.everyone")}
            value={filter.person}
            options={people}
            onChange={(person) => onFilter({ person })}
          />
        </div>
        <DayField
          label={t("audit-log.filter.from")}
          value={filter.from}
          onChange={(from) => onFilter({ from })}
          errorId={wrong ? errorId : undefined}
        />
        <DayField
          label={t("audit-log.filter.to")}
          value={filter.to}
          onChange={(to) => onFilter({ to })}
          errorId={wrong ? errorId : undefined}
        />
        {filtered && (
          <div className="col-span-2 grid lg:col-span-1">
            <Button variant="quiet" onClick={onClear}>
              <X aria-hidden className="size-4" />
              {t("audit-log.filter.clear")}
            </Button>
          </div>
        )}
      </div>
      {wrong && (
        <p id={errorId} role="alert" className="mt-1.5 text-sm font-semibold text-danger">
          {t("audit-log.filter.wrongOrder")}
        </p>
      )}
      {failed && (
        <p role="alert" className="mt-1.5 text-sm text-muted">
          {t("audit-log.filter.peopleFailed")}
        </p>
      )}
    </div>
  );
}

/** The visible label of a select that has its own accessible name. */
function Label({ children }: { children: string }) {
  return (
    <span aria-hidden className="mb-1 block text-xs text-muted">
      {children}
    </span>
  );
}

function useCategoryLabels(): Record<AuditCategory, string> {
  const { t } = useTranslation();
  return {
    access: t("audit-log.categories.access"),
    people: t("audit-log.categories.people"),
    equipment: t("audit-log.categories.equipment"),
    company: t("audit-log.categories.company"),
    refused: t("audit-log.categories.refused"),
  };
}

/** The company's people by name; the filter may also name a former person. */
function usePeople(chosen: string | undefined, nameOfFormer: string | undefined) {
  const { t } = useTranslation();
  const transport = useTransport();
  const query = useQuery(employeesQuery(transport));
  const people = (query.data?.employees ?? [])
    .map((person) => ({ value: person.id, label: labelOf(person) }))
    .toSorted((left, right) => left.label.localeCompare(right.label));
  if (chosen !== undefined && !people.some((person) => person.value === chosen)) {
    const label = nameOfFormer || (query.data ? t("audit-log.filter.formerPerson") : "…");
    people.push({ value: chosen, label });
  }
  return { people, failed: query.isError };
}

/** Two people may share a name; what they sign in with distinguishes them. */
function labelOf({ firstName, lastName, operatorUsername, email }: Employee): string {
  const name = `${firstName} ${lastName}`.trim();
  const login = operatorUsername ?? email ?? "";
  return name && login ? `${name} · ${login}` : name || login;
}

/** Typed text stays here until it is a date, because a partial year must not clear the field. */
function DayField({
  label,
  value,
  onChange,
  errorId,
}: {
  label: string;
  value: string | undefined;
  onChange: (day: string | undefined) => void;
  errorId: string | undefined;
}) {
  const current = value ?? "";
  const [state, setState] = useState({ text: current, seen: current });
  if (current !== state.seen) setState({ text: current, seen: current });
  const type = (text: string) => {
    setState((last) => ({ ...last, text }));
    if (text === "" || isDay(text)) onChange(text || undefined);
  };
  return (
    <label className="block min-w-0">
      <span className="mb-1 block text-xs text-muted">{label}</span>
      <input
        type="date"
        value={state.text}
        min={firstDay}
        max={lastDay}
        onChange={(event) => type(event.target.value)}
        aria-invalid={errorId ? true : undefined}
        aria-describedby={errorId}
        className={inputClass}
      />
    </label>
  );
}
