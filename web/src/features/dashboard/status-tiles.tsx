import { clsx } from "clsx";
import { Layers } from "lucide-react";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { GetSummaryResponse } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { statusOfFilter, type StatusFilter } from "#/domain/equipment-filter";
import { severityOf } from "#/shared/severity";
import { useFormat } from "#/shared/format/use-format";
import { Skeleton } from "#/shared/ui/skeleton";
import { StaleIcon } from "#/shared/ui/stale-badge";
import { StatusIcon } from "#/shared/ui/status-badge";

/** Six counts; pressing one toggles the overview's filter. */
export function StatusTiles({
  summary,
  loading,
  active,
  onSelect,
}: {
  summary: GetSummaryResponse | undefined;
  loading: boolean;
  active: StatusFilter | "stale" | undefined;
  onSelect: (status: StatusFilter | "stale" | undefined) => void;
}) {
  const { t } = useTranslation();
  const tiles: ReadonlyArray<{
    status: StatusFilter | "stale" | undefined;
    label: string;
    count: number | undefined;
  }> = [
    { status: undefined, label: t("dashboard.tiles.total"), count: summary?.total },
    { status: "good", label: t("dashboard.tiles.good"), count: summary?.good },
    {
      status: "approaching",
      label: t("dashboard.tiles.approaching"),
      count: summary?.approachingService,
    },
    { status: "due", label: t("dashboard.tiles.due"), count: summary?.timeForService },
    { status: "overdue", label: t("dashboard.tiles.overdue"), count: summary?.overdue },
    { status: "stale", label: t("equipment.age.stale"), count: summary?.stale },
  ];
  return (
    <div
      role="group"
      aria-label={t("dashboard.tiles.label")}
      className="grid grid-cols-2 gap-px overflow-hidden rounded-card border border-line bg-line md:grid-cols-3 lg:grid-cols-6"
    >
      {tiles.map(({ status, label, count }) => (
        <Tile
          key={status ?? "all"}
          icon={
            status === "stale" ? (
              <StaleIcon />
            ) : status ? (
              <StatusIcon severity={severityOf(statusOfFilter[status])} />
            ) : (
              <Layers aria-hidden className="size-4 shrink-0 text-muted" />
            )
          }
          label={label}
          count={count}
          loading={loading}
          active={status === active}
          wide={!status || status === "stale"}
          onPress={() => onSelect(status === active ? undefined : status)}
        />
      ))}
    </div>
  );
}

function Tile({
  icon,
  label,
  count,
  loading,
  active,
  wide,
  onPress,
}: {
  icon: ReactNode;
  label: string;
  count: number | undefined;
  loading: boolean;
  active: boolean;
  wide: boolean;
  onPress: () => void;
}) {
  const format = useFormat();
  return (
    <button
      type="button"
      aria-pressed={active}
      onClick={onPress}
      className={clsx(
        "relative flex flex-col justify-between px-4 py-3 text-left transition-colors focus-visible:-outline-offset-2",
        wide && "col-span-2 md:col-span-1",
        active
          ? "bg-accent-soft after:absolute after:inset-x-0 after:bottom-0 after:h-[3px] after:bg-accent"
          : "bg-raised hover:bg-sunken",
      )}
    >
      <span className="flex items-center gap-1.5 text-sm text-muted">
        {icon}
        {label}
      </span>
      <span className="mt-1 block text-figure font-semibold">
        {loading ? (
          <Skeleton className="h-9 w-12" />
        ) : count === undefined ? (
          "–"
        ) : (
          format.number(count)
        )}
      </span>
    </button>
  );
}
