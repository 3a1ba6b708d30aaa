import { Ban, ChevronDown, CirclePause, CirclePlay, Hammer, type LucideIcon } from "lucide-react";
import { useTranslation } from "react-i18next";
import type { Equipment } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { operationalStatuses, type OperationalWord } from "#/domain/equipment-words";
import { Button } from "#/shared/ui/button";
import { Menu, MenuChoice } from "#/shared/ui/menu";
import { operationalLabel } from "#/shared/words/operational-label";
import { useOperationalStatus } from "./use-operational-status";

const icons: Record<OperationalWord, LucideIcon> = {
  in_use: CirclePlay,
  standing: CirclePause,
  in_shop: Hammer,
  out_of_service: Ban,
};

/** The operational status, which a choice changes at once. */
export function OperationalMenu({ equipment }: { equipment: Equipment }) {
  const { t } = useTranslation();
  const { current, change } = useOperationalStatus(equipment);
  const Icon = icons[current];
  const label = t("equipment.operational.label");
  const shown = operationalLabel(t, current);
  return (
    <Menu
      align="start"
      trigger={
        <Button
          size="small"
          className="rounded-full desk:h-7"
          aria-label={t("equipment-detail.use.change", { status: shown })}
        >
          <Icon aria-hidden className="size-4 text-muted" />
          {shown}
          <ChevronDown aria-hidden className="size-4 text-muted" />
        </Button>
      }
    >
      <MenuChoice
        label={label}
        value={current}
        options={operationalStatuses.map((value) => {
          const OptionIcon = icons[value];
          return {
            value,
            label: operationalLabel(t, value),
            icon: <OptionIcon aria-hidden className="size-4 text-muted" />,
          };
        })}
        onChange={change}
      />
    </Menu>
  );
}
