import { useTranslation } from "react-i18next";
import type { Equipment, ServicePart } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { NameLink } from "../table/name-link";

const partsShown = 3;

export function NameCell({ equipment }: { equipment: Equipment }) {
  const { t } = useTranslation();
  const parts = equipment.serviceParts;
  return (
    <>
      <NameLink equipment={equipment} />
      {equipment.serialNumber && (
        <span className="block font-mono text-xs break-all text-muted">
          {equipment.serialNumber}
        </span>
      )}
      {equipment.group && (
        <span className="block text-xs wrap-anywhere text-muted">{equipment.group}</span>
      )}
      {parts.length > 0 && (
        <span className="block max-w-72 text-xs text-muted">
          <span className="sr-only">{t("equipment-list.parts")} </span>
          {parts.slice(0, partsShown).map(partText).join(", ")}
          {parts.length > partsShown &&
            ` ${t("equipment-list.moreParts", { count: parts.length - partsShown })}`}
        </span>
      )}
    </>
  );
}

function partText({ part, quantity }: ServicePart): string {
  return quantity !== undefined && quantity > 1 ? `${part} × ${quantity}` : part;
}
