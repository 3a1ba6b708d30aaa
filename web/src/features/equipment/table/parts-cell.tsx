import type { ServicePart } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";

/** Two lines of the parts; their title has all. */
export function PartsCell({ parts }: { parts: readonly ServicePart[] }) {
  if (parts.length === 0) return <span className="text-muted">–</span>;
  const text = parts.map(partText).join(", ");
  return (
    <span title={text} className="line-clamp-2 max-w-72 min-w-40">
      {text}
    </span>
  );
}

function partText({ part, quantity }: ServicePart): string {
  return quantity !== undefined && quantity > 1 ? `${part} × ${quantity}` : part;
}
