import { clsx } from "clsx";

/** Gas is solid and diesel hatched, so that they differ without color too. */
export const fuelFill = {
  gas: "bg-gas",
  diesel:
    "border border-diesel bg-diesel/25 bg-[repeating-linear-gradient(135deg,var(--diesel)_0_2px,transparent_2px_5px)]",
} as const;

export function Swatch({ kind }: { kind: keyof typeof fuelFill }) {
  return (
    <span
      aria-hidden
      className={clsx("inline-block size-3 shrink-0 rounded-[3px]", fuelFill[kind])}
    />
  );
}
