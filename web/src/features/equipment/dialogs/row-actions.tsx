import { EllipsisVertical, Gauge, Wrench } from "lucide-react";
import { useTranslation } from "react-i18next";
import { serviceStatusWord, unitWord } from "#/domain/equipment-wire";
import { severityOf } from "#/shared/severity";
import { onDemand } from "#/shared/on-demand";
import { Button } from "#/shared/ui/button";
import { Menu } from "#/shared/ui/menu";
import { canService, type RowActionsProps } from "./row-action";

const items = onDemand(() => import("./row-action-items").then((module) => module.RowActionItems));

/** The action that is probably next, and a menu of all. */
export function RowActions(props: RowActionsProps) {
  const { t } = useTranslation();
  return (
    <span className="inline-flex">
      {/* In a narrow table, the menu has it. */}
      <span className="@min-[44.8rem]:@max-5xl:hidden">
        <MainAction {...props} />
      </span>
      <Menu
        needs={items}
        trigger={
          <Button
            variant="quiet"
            icon
            aria-label={t("equipment.actions.label", { name: props.equipment.name })}
          >
            <EllipsisVertical aria-hidden className="size-5" />
          </Button>
        }
      >
        <items.Component {...props} />
      </Menu>
    </span>
  );
}

/** The service if it is due, otherwise a reading. */
function MainAction(props: RowActionsProps) {
  const { t } = useTranslation();
  const { equipment, onAction } = props;
  const { name } = equipment;
  const severity = severityOf(serviceStatusWord(equipment.serviceStatus));
  if (canService(props) && (severity === "due" || severity === "over")) {
    return (
      <Button
        variant="quiet"
        icon
        title={t("equipment.actions.markServiced")}
        aria-label={t("equipment.actions.markServicedOf", { name })}
        onClick={() => onAction("serviced")}
      >
        <Wrench aria-hidden className="size-5" />
      </Button>
    );
  }
  if (unitWord(equipment.unit) === "n/a") return null;
  return (
    <Button
      variant="quiet"
      icon
      title={t("equipment.actions.updateUsage")}
      aria-label={t("equipment.actions.updateUsageOf", { name })}
      onClick={() => onAction("usage")}
    >
      <Gauge aria-hidden className="size-5" />
    </Button>
  );
}
