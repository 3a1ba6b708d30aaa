import { useTransport } from "@connectrpc/connect-query";
import { useQuery } from "@tanstack/react-query";
import { useCallback, useId, useState, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { equipmentSummaryQuery } from "#/api/equipment-summary";
import { useErrorText } from "#/api/error-text";
import type { Watch } from "#/api/gen/hourmeter/notifications/v1/settings_pb";
import { findMachines } from "#/domain/find-machines";
import { audienceOf } from "#/domain/permissions";
import { useSession } from "#/session/session";
import { EndMarker } from "#/shared/table/end-marker";
import { Button } from "#/shared/ui/button";
import { ErrorPanel } from "#/shared/ui/error-panel";
import { SearchInput } from "#/shared/ui/search-input";
import { SkeletonRows } from "#/shared/ui/skeleton";
import { Checkbox } from "#/shared/ui/toggle";
import { UnitNumber } from "#/shared/ui/unit-number";
import { useMeters } from "#/shared/use-meters";

type Chosen = ReadonlySet<string>;

/** The first rows, and how many more appear at the end of the list. */
const part = 100;

/** Chooses machines and groups. */
export function WatchLists({
  first,
  machines,
  onMachines,
  groups,
  onGroups,
  notice,
}: {
  /** What is listed first. */
  first: Watch | undefined;
  machines: Chosen;
  onMachines: (machines: Chosen) => void;
  groups: Chosen;
  onGroups: (groups: Chosen) => void;
  /** Stays in view, like the search. */
  notice: ReactNode;
}) {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const isOperator = audienceOf(useSession()) === "operator";
  const { query, meters } = useMeters();
  const summary = useQuery({ ...equipmentSummaryQuery(useTransport()), enabled: !isOperator });
  const [search, setSearch] = useState("");
  const [shown, setShown] = useState(part);
  const showMore = useCallback(() => setShown(shown + part), [shown]);
  if (query.error && !meters) {
    return (
      <ErrorPanel
        title={t("notifications.watch.machinesFailed")}
        reason={errorText(query.error)}
        onRetry={() => void query.refetch()}
        retrying={query.isFetching}
      />
    );
  }
  if (!meters) return <SkeletonRows rows={5} label={t("common.loading")} />;
  const chosenFirst = new Set(first?.equipmentIds);
  const isFirst = ({ equipmentId }: { equipmentId: string }) =>
    Number(chosenFirst.has(equipmentId));
  const ordered = meters.toSorted((one, other) => isFirst(other) - isFirst(one));
  // A chosen group may have no machine now.
  const names = [...new Set([...(first?.groups ?? []), ...(summary.data?.groups ?? [])])];
  const isSearching = search.trim() !== "";
  const found = isSearching ? findMachines(ordered, search) : ordered;
  const foundGroups = findMachines(
    names.map((name) => ({ name })),
    search,
  );
  const known = new Set(meters.map(({ equipmentId }) => equipmentId));
  const present = [...machines].filter((id) => known.has(id));
  const gone = query.hasNextPage ? 0 : machines.size - present.length;
  return (
    <div className="space-y-2.5">
      {/* Covers the padding of the dialog, under which the list scrolls. */}
      <div className="sticky -top-4 z-10 -mt-4 space-y-2 bg-raised pt-4">
        <SearchInput
          label={
            names.length > 0
              ? t("notifications.watch.search")
              : t("notifications.watch.searchMachines")
          }
          value={search}
          onChange={setSearch}
        />
        {notice}
      </div>
      {gone > 0 && (
        <p className="flex flex-wrap items-center justify-between gap-2 text-sm text-muted">
          {t("notifications.watch.gone", { count: gone })}
          <Button size="small" variant="quiet" onClick={() => onMachines(new Set(present))}>
            {t("notifications.watch.forget")}
          </Button>
        </p>
      )}
      {/* A search does not change the height of the dialog, which would move the field. */}
      <div style={{ minHeight: "50dvh" }}>
        <Checks
          title={t("notifications.watch.groupsTitle")}
          rows={foundGroups.map(({ name }) => ({ key: name, label: name }))}
          chosen={groups}
          onChange={onGroups}
        />
        <Checks
          title={t("notifications.watch.machinesTitle")}
          rows={found.slice(0, shown).map(({ equipmentId, name, unitNumber }) => ({
            key: equipmentId,
            label: (
              <>
                <UnitNumber number={unitNumber} />
                {name}
              </>
            ),
          }))}
          chosen={machines}
          onChange={onMachines}
        />
        {found.length > shown && <EndMarker onReached={showMore} />}
        {found.length + foundGroups.length === 0 && (
          <p className="py-6 text-center text-muted">
            {isSearching
              ? t("notifications.watch.noMatch", { search: search.trim() })
              : t("notifications.watch.noMachines")}
          </p>
        )}
      </div>
    </div>
  );
}

function Checks({
  title,
  rows,
  chosen,
  onChange,
}: {
  title: string;
  rows: ReadonlyArray<{ key: string; label: ReactNode }>;
  chosen: Chosen;
  onChange: (chosen: Chosen) => void;
}) {
  const id = useId();
  if (rows.length === 0) return null;
  const set = (key: string, on: boolean) => {
    const next = new Set(chosen);
    if (on) next.add(key);
    else next.delete(key);
    onChange(next);
  };
  return (
    <fieldset className="min-w-0">
      <legend className="px-2 py-1 text-sm font-semibold text-muted">{title}</legend>
      {rows.map(({ key, label }, index) => (
        <label
          key={key}
          htmlFor={`${id}-${index}`}
          className="flex min-h-11 cursor-pointer items-center gap-2.5 rounded-control px-2 py-1 hover:bg-sunken"
        >
          <Checkbox
            id={`${id}-${index}`}
            checked={chosen.has(key)}
            onChange={(event) => set(key, event.target.checked)}
            // Below the search, when it gets the focus.
            style={{ scrollMarginTop: "8rem" }}
          />
          <span className="min-w-0 wrap-anywhere">{label}</span>
        </label>
      ))}
    </fieldset>
  );
}
