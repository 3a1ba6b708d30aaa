import { ArrowLeftRight, Fuel, Gauge, Hash, Undo2, type LucideIcon } from "lucide-react";
import { useId, type ReactNode } from "react";

type Kind = "digit" | "machine" | "meter" | "fuel" | "drop";

const icons: Record<Kind, LucideIcon> = {
  digit: Hash,
  machine: ArrowLeftRight,
  meter: Gauge,
  fuel: Fuel,
  drop: Undo2,
};

export function FixGroup({ title, children }: { title: string; children: ReactNode }) {
  const id = useId();
  return (
    <div role="group" aria-labelledby={id}>
      <h3 id={id} className="mb-1.5 font-semibold">
        {title}
      </h3>
      <div className="space-y-2">{children}</div>
    </div>
  );
}

export function FixButton({
  kind,
  title,
  text,
  onPress,
}: {
  kind: Kind;
  title: string;
  text?: string;
  onPress: () => void;
}) {
  const Icon = icons[kind];
  return (
    <button
      type="button"
      onClick={onPress}
      className="flex min-h-14 w-full items-center gap-3 rounded-(--control-radius) border border-control-line bg-raised px-3.5 py-2 text-left transition-colors hover:bg-sunken"
    >
      <Icon aria-hidden className="size-5 shrink-0 text-accent" />
      <span className="min-w-0">
        <span className="block leading-snug font-semibold">{title}</span>
        {text && <span className="block text-sm text-muted">{text}</span>}
      </span>
    </button>
  );
}
