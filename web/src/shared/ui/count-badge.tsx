export const countText = (count: number): string => (count > 99 ? "99+" : String(count));

/** The number of things that wait for the user, beside or on the label of a link. */
export function CountBadge({
  count,
  label,
}: {
  count: number;
  /** For screen readers, which do not read the number; absent if the link's name has it. */
  label?: string;
}) {
  return (
    <span className="inline-grid h-5 min-w-5 place-items-center rounded-full bg-accent px-1.5 text-xs font-semibold text-accent-on">
      <span aria-hidden>{countText(count)}</span>
      {label !== undefined && <span className="sr-only">{label}</span>}
    </span>
  );
}
