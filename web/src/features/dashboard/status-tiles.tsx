import { clsx } from "clsx";
import { CalendarClock, CircleOff, Inbox, Layers } from "lucide-react";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { GetSummaryResponse } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { statusOfFilter, type Choice, type StatusFilter } from "#/domain/equipment-filter";
import { severityOf } from "#/shared/severity";
import { useFormat } from "#/shared/format/use-format";
import { PageLink } from "#/shared/ui/page-link";
import { Skeleton } from "#/shared/ui/skeleton";
import { StaleIcon } from "#/shared/ui/stale-badge";
import { StatusIcon } from "#/shared/ui/status-badge";

/** What needs a decision first, then the other counts. Pressing one toggles the overview's filter. */
export function StatusTiles({
  summary,
  waiting,
  loading,
  active,
  onSelect,
}: {
  summary: GetSummaryResponse | undefined;
  /** The number of updates that wait for review. */
  waiting: ReactNode;
  loading: boolean;
  active: Choice | undefined;
  onSelect: (choice: Choice | undefined) => void;
}) {
  const { t } = useTranslation();
  const tile = (choice: Choice | undefined, label: string, count: number | undefined) => ({
    label,
    figure: <Figure count={count} loading={loading} />,
    active: choice === active,
    onPress: () => onSelect(choice === active ? undefined : choice),
  });
  const icon = "size-4 shrink-0 text-muted";
  return (
    <div
      role="group"
      aria-label={t("dashboard.tiles.label")}
      className="overflow-hidden rounded-card border border-line bg-line"
    >
      <div className="grid grid-cols-2 gap-px md:grid-cols-5">
        <PageLink
          to="/review"
          className={clsx(look, "col-span-2 bg-raised hover:bg-sunken md:col-span-1")}
        >
          <TileContent
            icon={<Inbox aria-hidden className={icon} />}
            label={t("dashboard.tiles.waiting")}
            figure={waiting}
          />
        </PageLink>
        <Tile
          icon={<ServiceIcon status="overdue" />}
          {...tile("overdue", t("dashboard.tiles.overdue"), summary?.overdue)}
        />
        <Tile
          icon={<CalendarClock aria-hidden className={icon} />}
          {...tile("dueThisWeek", t("dashboard.tiles.dueThisWeek"), summary?.dueThisWeek)}
        />
        <Tile icon={<StaleIcon />} {...tile("stale", t("equipment.age.stale"), summary?.stale)} />
        <Tile
          icon={<CircleOff aria-hidden className={icon} />}
          {...tile("outOfService", t("equipment.operational.outOfService"), summary?.outOfService)}
        />
      </div>
      <div className="mt-px grid grid-cols-2 gap-px md:grid-cols-4">
        <Tile
          slim
          icon={<Layers aria-hidden className={icon} />}
          {...tile(undefined, t("dashboard.tiles.total"), summary?.total)}
        />
        <Tile
          slim
          icon={<ServiceIcon status="good" />}
          {...tile("good", t("dashboard.tiles.good"), summary?.good)}
        />
        <Tile
          slim
          icon={<ServiceIcon status="approaching" />}
          {...tile("approaching", t("dashboard.tiles.approaching"), summary?.approachingService)}
        />
        <Tile
          slim
          icon={<ServiceIcon status="due" />}
          {...tile("due", t("dashboard.tiles.due"), summary?.timeForService)}
        />
      </div>
    </div>
  );
}

function ServiceIcon({ status }: { status: StatusFilter }) {
  return <StatusIcon severity={severityOf(statusOfFilter[status])} />;
}

const look =
  "on-paper relative flex flex-col justify-between px-4 py-3 text-left transition-colors focus-visible:-outline-offset-2";

function Tile({
  icon,
  label,
  figure,
  active,
  slim = false,
  onPress,
}: {
  icon: ReactNode;
  label: string;
  figure: ReactNode;
  active: boolean;
  /** In one line. */
  slim?: boolean;
  onPress: () => void;
}) {
  return (
    <button
      type="button"
      aria-pressed={active}
      onClick={onPress}
      className={clsx(
        look,
        slim && "min-h-11 flex-row items-center gap-2 py-2",
        active
          ? "bg-accent-soft after:absolute after:inset-x-0 after:bottom-0 after:h-[3px] after:bg-accent"
          : "bg-raised hover:bg-sunken",
      )}
    >
      <TileContent icon={icon} label={label} figure={figure} slim={slim} />
    </button>
  );
}

function TileContent({
  icon,
  label,
  figure,
  slim = false,
}: {
  icon: ReactNode;
  label: string;
  figure: ReactNode;
  slim?: boolean;
}) {
  return (
    <>
      <span className="flex items-center gap-1.5 text-sm text-muted">
        {icon}
        {label}
      </span>
      <span className={clsx("block font-semibold", slim ? "text-lg" : "mt-1 text-figure")}>
        {figure}
      </span>
    </>
  );
}

function Figure({ count, loading }: { count: number | undefined; loading: boolean }) {
  const format = useFormat();
  if (loading) return <Skeleton className="h-[1lh] w-10" />;
  return count === undefined ? "–" : format.number(count);
}
