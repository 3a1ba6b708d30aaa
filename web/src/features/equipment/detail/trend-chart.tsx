import { clsx } from "clsx";
import { useTranslation } from "react-i18next";
import { useFormat } from "#/shared/format/use-format";
import { useSeveralMeters } from "../meters/several-meters";
import { Chart, hairline, height, niceStep, round, stroke, width } from "./chart";
import type { Projection, Reading } from "./trend";

/** A line of readings. `label` describes it for screen readers. */
export function TrendChart({
  readings,
  services,
  projection,
  dueAt,
  label,
}: {
  readings: readonly Reading[];
  /** Services since the first reading. */
  services: ReadonlyArray<{ id: string; at: number }>;
  /** Drawn as a dashed line to its range. */
  projection: Projection | null;
  /** Where the next service is due; drawn if it is within the chart. */
  dueAt: number | undefined;
  label: string;
}) {
  const { t } = useTranslation();
  const format = useFormat();
  const several = useSeveralMeters();
  const ends = readings.filter((reading) => reading.newMeter);
  const scale = scaleOf(readings, services, projection, dueAt);
  const points = readings.map((reading) => [scale.x(reading.at), scale.y(reading.usage)] as const);
  const line = points.map(([x, y], index) => `${index === 0 ? "M" : "L"}${x} ${y}`).join("");
  const dots = points.map(([x, y]) => `M${x} ${y}h0.01`).join("");
  const start = points[0]?.[0] ?? 0;
  const end = points.at(-1)?.[0] ?? width;
  const due = dueAt !== undefined && dueAt <= scale.top && dueAt >= scale.bottom ? dueAt : null;
  return (
    <figure className="m-0">
      <Chart
        top={format.number(scale.top, 0)}
        bottom={format.number(scale.bottom, 0)}
        label={label}
        over={
          <>
            {ends.map(({ id, at }) => (
              <MeterMark key={id} x={scale.x(at)} />
            ))}
            {due !== null && (
              <span
                aria-hidden
                className="absolute left-1 rounded-control bg-raised px-1 text-xs font-semibold"
                style={{ top: `calc(${scale.y(due)}% - 0.56rem)` }}
              >
                {several
                  ? t("equipment-meters.trend.dueAt", { value: format.number(due) })
                  : t("labels.due.dueAt", { value: format.number(due) })}
              </span>
            )}
          </>
        }
        below={
          <span className="flex grow justify-between">
            <span>{format.instantDay(new Date(readings[0]?.at ?? 0))}</span>
            <span>{format.instantDay(new Date(scale.to))}</span>
          </span>
        }
      >
        <path d={`${line}L${end} ${height}L${start} ${height}Z`} className="fill-accent-soft" />
        <path d={line} className="fill-none stroke-accent" {...stroke(2)} />
        {/* Zero-length lines with round caps: dots that stay round in a stretched SVG. */}
        <path d={dots} className="stroke-accent" {...stroke(6)} />
        {due !== null && (
          <path
            d={`M0 ${scale.y(due)}H${width}`}
            strokeDasharray="5 4"
            className="stroke-ink"
            {...hairline}
          />
        )}
        {services.map(({ id, at }) => (
          <path key={id} d={`M${scale.x(at)} 88V100`} className="stroke-ink" {...stroke(3)} />
        ))}
        {projection && (
          <>
            <path
              d={`M${end} ${points.at(-1)?.[1] ?? 0}L${scale.x(projection.at)} ${scale.y(projection.usage)}`}
              strokeDasharray="6 5"
              className="fill-none stroke-accent"
              {...stroke(2)}
            />
            <path
              d={`M${scale.x(projection.earliest)} ${scale.y(projection.usage)}H${scale.x(projection.latest)}`}
              className="stroke-accent"
              {...stroke(4)}
            />
          </>
        )}
        {ends.map(({ id, at }) => (
          <path
            key={id}
            d={`M${scale.x(at)} 0V${height}`}
            strokeDasharray="2 3"
            className="stroke-muted"
            {...hairline}
          />
        ))}
      </Chart>
      {(services.length > 0 || projection) && (
        <figcaption className="mt-2 flex flex-wrap gap-x-5 gap-y-1 text-xs text-muted">
          {services.length > 0 && (
            <span className="flex items-center gap-1.5">
              <span aria-hidden className="inline-block h-3 w-0.75 rounded-full bg-ink" />
              {t("equipment-detail.trend.services", { count: services.length })}
            </span>
          )}
          {projection && (
            <span className="flex items-center gap-1.5">
              <span
                aria-hidden
                className="inline-block w-5 border-t-2 border-dashed border-accent"
              />
              {projection.earliest === projection.latest
                ? t("equipment-detail.trend.projectionDay", {
                    date: format.instantDay(new Date(projection.latest)),
                  })
                : t("equipment-detail.trend.projection", {
                    from: format.instantDay(new Date(projection.earliest)),
                    to: format.instantDay(new Date(projection.latest)),
                  })}
            </span>
          )}
        </figcaption>
      )}
    </figure>
  );
}

/**
 * A label at the foot of the line where a meter ended; left of it if there is no room on the right.
 */
function MeterMark({ x }: { x: number }) {
  const { t } = useTranslation();
  const left = `${(x / width) * 100}%`;
  return (
    <span
      aria-hidden
      className={clsx(
        "absolute bottom-1 rounded-control bg-raised px-1 text-xs whitespace-nowrap text-muted",
        x > width / 2 ? "-translate-x-full -ml-1" : "ml-1",
      )}
      style={{ left }}
    >
      {t("equipment-meters.trend.mark")}
    </span>
  );
}

function scaleOf(
  readings: readonly Reading[],
  services: ReadonlyArray<{ at: number }>,
  projection: Projection | null,
  dueAt: number | undefined,
) {
  const values = readings.map((reading) => reading.usage);
  if (projection) values.push(projection.usage);
  const low = Math.min(...values);
  const high = Math.max(...values);
  const span = Math.max(high - low, 1);
  // A due point further away than the range of the readings would flatten their line.
  const near = dueAt !== undefined && dueAt > low - span && dueAt < high + span;
  const step = niceStep((near ? Math.max(high, dueAt) - Math.min(low, dueAt) : span) / 4);
  const bottom = Math.max(0, Math.floor((near ? Math.min(low, dueAt) : low) / step) * step);
  const reach = near ? Math.max(high, dueAt) : high;
  const top = Math.max(Math.ceil(reach / step) * step, bottom + step);
  const from = readings[0]?.at ?? 0;
  const to = Math.max(...[...readings, ...services].map(({ at }) => at), projection?.latest ?? 0);
  const time = Math.max(to - from, 1);
  return {
    bottom,
    top,
    to,
    x: (at: number) => round(((at - from) / time) * width),
    y: (usage: number) => round(height - ((usage - bottom) / (top - bottom)) * height),
  };
}
