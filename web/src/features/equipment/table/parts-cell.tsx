import { useTranslation } from "react-i18next";
import type { ServicePart } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";

const shown = 3;

export function PartsCell({ parts }: { parts: readonly ServicePart[] }) {
  const { t } = useTranslation();
  return (
    <span className="block max-w-72">
      {parts.slice(0, shown).map(partText).join(", ")}
      {parts.length > shown &&
        ` ${t("equipment.columns.moreParts", { count: parts.length - shown })}`}
    </span>
  );
}

function partText({ part, quantity }: ServicePart): string {
  return quantity !== undefined && quantity > 1 ? `${part} × ${quantity}` : part;
}
