import type { ReactNode } from "react";

/** The size of a chart in its own units. */
export const width = 1000;
export const height = 100;

/**
 * A chart with its value axis. The SVG stretches with its box, so its strokes don't scale, and text
 * is outside of it. `label` describes it for screen readers.
 */
export function Chart({
  top,
  bottom,
  label,
  over,
  below,
  children,
}: {
  /** The values at both ends of the axis. */
  top: string;
  bottom: string;
  label: string;
  /** Texts on the chart. */
  over?: ReactNode;
  /** The time axis. */
  below: ReactNode;
  children: ReactNode;
}) {
  return (
    <div className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-3">
      <div aria-hidden className="flex flex-col justify-between text-right text-xs text-muted">
        <span>{top}</span>
        <span>{bottom}</span>
      </div>
      <div className="relative">
        <svg
          role="img"
          aria-label={label}
          viewBox={`0 0 ${width} ${height}`}
          preserveAspectRatio="none"
          className="block h-40 w-full overflow-visible"
        >
          {[0, height / 2, height].map((y) => (
            <path key={y} d={`M0 ${y}H${width}`} className="stroke-line" {...hairline} />
          ))}
          {children}
        </svg>
        {over}
      </div>
      <div aria-hidden className="col-start-2 mt-1.5 flex text-xs text-muted">
        {below}
      </div>
    </div>
  );
}

export const hairline = { strokeWidth: 1, vectorEffect: "non-scaling-stroke" } as const;

export function stroke(strokeWidth: number) {
  return {
    strokeWidth,
    strokeLinecap: "round",
    strokeLinejoin: "round",
    vectorEffect: "non-scaling-stroke",
  } as const;
}

/** The next 1, 2 or 5 times a power of ten, at least 1. */
export function niceStep(raw: number): number {
  const size = 10 ** Math.floor(Math.log10(Math.max(raw, 1)));
  return ([1, 2, 5].find((factor) => factor * size >= raw) ?? 10) * size;
}

export function round(value: number): number {
  return Math.round(value * 100) / 100;
}
