import type { TFunction } from "i18next";
import { useId } from "react";
import { useTranslation } from "react-i18next";
import type { HistoryRecord } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { isWrongOrder } from "#/domain/days";
import { useFormat } from "#/shared/format/use-format";
import { DayField } from "#/shared/ui/day-field";
import { Segmented } from "#/shared/ui/segmented";
import { Select } from "#/shared/ui/select";
import { usePeople } from "#/shared/use-people";
import { useSeveralMeters } from "../meters/several-meters";
import { kindFilters, type HistoryFilter, type KindFilter } from "./search";

/** Kind, person and period. */
export function HistoryFilters({
  filter,
  records,
  onFilter,
}: {
  filter: HistoryFilter;
  records: readonly HistoryRecord[];
  /** Merges these values into the filter. */
  onFilter: (change: HistoryFilter) => void;
}) {
  const { t } = useTranslation();
  const { people, failed } = usePeople(
    filter.person,
    t("equipment-detail.history.formerPerson"),
    records.map(({ personId, operatorName }) => ({ value: personId, label: operatorName })),
  );
  const wrong = isWrongOrder(filter);
  const errorId = useId();
  return (
    <div role="search" aria-label={t("equipment-detail.history.filters")} className="no-print">
      <KindChoice kind={filter.kind} onKind={(kind) => onFilter({ kind })} />
      <div className="grid grid-cols-2 items-end gap-2 px-4 pb-4 md:grid-cols-[minmax(0,18rem)_10.5rem_10.5rem] md:px-5">
        <div className="max-md:col-span-2">
          <Select
            label={t("equipment-detail.history.person")}
            all={t("equipment-detail.history.everyone")}
            value={filter.person}
            options={people}
            onChange={(person) => onFilter({ person })}
          />
        </div>
        <DayField
          label={t("equipment-detail.history.from")}
          value={filter.from}
          onChange={(from) => onFilter({ from })}
          errorId={wrong ? errorId : undefined}
        />
        <DayField
          label={t("equipment-detail.history.to")}
          value={filter.to}
          onChange={(to) => onFilter({ to })}
          errorId={wrong ? errorId : undefined}
        />
        {wrong && (
          <p id={errorId} role="alert" className="col-span-full text-sm font-semibold text-danger">
            {t("equipment-detail.history.wrongOrder")}
          </p>
        )}
        {failed && (
          <p role="alert" className="col-span-full text-sm text-muted">
            {t("equipment-detail.history.peopleFailed")}
          </p>
        )}
      </div>
    </div>
  );
}

export interface ShownFilter {
  name: keyof HistoryFilter;
  label: string;
}

/** The filters that are set, in words. */
export function useShownFilters({ kind, person, from, to }: HistoryFilter): ShownFilter[] {
  const { t } = useTranslation();
  const format = useFormat();
  const { people } = usePeople(person, t("equipment-detail.history.formerPerson"));
  const shown: ShownFilter[] = [];
  if (kind) shown.push({ name: "kind", label: filterLabel(t, kind) });
  const chosen = people.find(({ value }) => value === person);
  if (chosen) shown.push({ name: "person", label: chosen.label });
  if (from) {
    const date = format.calendarDate(from);
    shown.push({ name: "from", label: t("equipment-detail.history.since", { date }) });
  }
  if (to) {
    const date = format.calendarDate(to);
    shown.push({ name: "to", label: t("equipment-detail.history.until", { date }) });
  }
  return shown;
}

function KindChoice({
  kind,
  onKind,
}: {
  kind: KindFilter | undefined;
  onKind: (kind: KindFilter | undefined) => void;
}) {
  const { t } = useTranslation();
  const several = useSeveralMeters();
  return (
    // Room for the focus ring, which a scrolling box would cut off; and the box holds the hidden
    // inputs, which would otherwise make the page as wide as the row.
    <div className="no-print relative -mt-1 overflow-x-auto px-4 pt-1 pb-4 md:px-5">
      <div className="w-max">
        <Segmented
          label={t("equipment-detail.history.filter")}
          hideLabel
          compact
          value={kind ?? "all"}
          options={[
            { value: "all", label: t("equipment-detail.history.all") },
            ...kindFilters
              .filter((value) => value !== "meter" || several || kind === "meter")
              .map((value) => ({ value, label: filterLabel(t, value) })),
          ]}
          onChange={(next) => onKind(kindFilters.find((known) => known === next))}
        />
      </div>
    </div>
  );
}

function filterLabel(t: TFunction, kind: KindFilter): string {
  switch (kind) {
    case "usage":
      return t("equipment-detail.history.usage");
    case "service":
      return t("equipment-detail.history.service");
    case "notes":
      return t("equipment-detail.history.notes");
    case "edits":
      return t("equipment-detail.history.edits");
    case "meter":
      return t("equipment-meters.card.title");
    case "archive":
      return t("equipment-detail.history.archive");
  }
}
