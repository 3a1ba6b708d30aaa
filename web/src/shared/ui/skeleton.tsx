import { clsx } from "clsx";

/**
 * A gray placeholder in the final layout; appears only if loading takes longer than 300 ms. While a
 * `growing` one is shown, a parent with `data-in-order` hides what is below.
 */
export function Skeleton({ className, growing }: { className?: string; growing?: boolean }) {
  return (
    <div
      aria-hidden
      data-growing={growing}
      className={clsx(
        "animate-[appear_150ms_300ms_backwards,breathe_1.6s_450ms_infinite] rounded-control bg-line print:hidden",
        className ?? "h-4 w-full",
      )}
    />
  );
}

/** In the shape of a list: a name and facts per row. */
export function SkeletonRows({ rows = 6, label }: { rows?: number; label: string }) {
  return (
    <div role="status" data-growing>
      <span className="sr-only">{label}</span>
      {Array.from({ length: rows }, (_, index) => (
        <div key={index} className="flex gap-4 p-4">
          <Skeleton className="h-5 w-full max-w-56" />
          <Skeleton className="h-5 w-full max-w-56" />
        </div>
      ))}
    </div>
  );
}
