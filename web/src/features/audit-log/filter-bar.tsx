import { useId } from "react";
import { useTranslation } from "react-i18next";
import type { AuditEvent } from "#/api/gen/hourmeter/common/v1/audit_pb";
import { isWrongOrder } from "#/domain/days";
import { auditCategories, type AuditCategory } from "#/shared/audit/audit-categories";
import { DayField } from "#/shared/ui/day-field";
import { Select } from "#/shared/ui/select";
import { usePeople } from "#/shared/use-people";
import type { AuditFilter } from "./filter";

export function FilterBar({
  filter,
  onFilter,
  events,
}: {
  filter: AuditFilter;
  /** Merges these values into the filter. */
  onFilter: (change: Partial<AuditFilter>) => void;
  /** The loaded ones, whose people can be chosen too. */
  events: readonly AuditEvent[] | undefined;
}) {
  const { t } = useTranslation();
  const labels = useCategoryLabels();
  const { people, failed } = usePeople(
    filter.person,
    t("audit-log.filter.formerPerson"),
    events?.flatMap(({ actorId, actorName }) =>
      actorId && actorName ? [{ value: actorId, label: actorName }] : [],
    ),
  );
  const errorId = useId();
  const wrong = isWrongOrder(filter);
  return (
    <div role="search" aria-label={t("audit-log.filter.label")} className="no-print">
      <div className="grid grid-cols-2 items-end gap-2 lg:grid-cols-[minmax(0,1fr)_minmax(0,1fr)_10.5rem_10.5rem]">
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
