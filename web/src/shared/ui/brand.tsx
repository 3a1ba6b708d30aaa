import { clsx } from "clsx";

export function Brand({ className }: { className?: string }) {
  return (
    <span className={clsx("inline-flex items-center gap-2.5 text-lg font-bold", className)}>
      <svg viewBox="0 0 32 32" aria-hidden className="size-7 shrink-0">
        <rect width="32" height="32" rx="7" className="fill-accent" />
        <g className="stroke-accent-on" fill="none" strokeWidth="2.4" strokeLinecap="round">
          <path d="M7.2 21.5a9.6 9.6 0 1 1 17.6 0M16 19.2 20.6 11.6M11.5 25h9" />
        </g>
        <circle cx="16" cy="19.4" r="2.2" className="fill-accent-on" />
      </svg>
      Hourmeter
    </span>
  );
}
