/** The company's own number of a machine, in front of its name. */
export function UnitNumber({ number }: { number: string | null | undefined }) {
  if (!number) return null;
  return (
    <>
      <span className="mr-0.5 inline-block max-w-full rounded-sm border border-line bg-sunken px-1.5 align-[0.05em] font-mono text-xs font-semibold wrap-anywhere text-ink">
        {number}
      </span>{" "}
    </>
  );
}
