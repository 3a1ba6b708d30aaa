import { Link, useNavigate } from "@tanstack/react-router";
import {
  Copy,
  EllipsisVertical,
  Fuel,
  Gauge,
  NotebookPen,
  Pencil,
  Printer,
  RefreshCw,
  Trash2,
  Wrench,
} from "lucide-react";
import { useCallback, useState } from "react";
import { useTranslation } from "react-i18next";
import type { Equipment } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { equipmentFuelWord, unitWord } from "#/domain/equipment-wire";
import { Button } from "#/shared/ui/button";
import { dialogOnDemand } from "#/shared/ui/dialog-on-demand";
import { Menu, MenuItem, MenuSeparator } from "#/shared/ui/menu";
import { EquipmentDialogs } from "../dialogs/equipment-dialogs-on-demand";
import type { RowAction } from "../dialogs/row-action";
import { hasServicePlan } from "./service-plan";
import { WatchItem } from "./watch-item";

const ReplaceMeterDialog = dialogOnDemand(() =>
  import("../meters/replace-dialog").then((module) => module.ReplaceMeterDialog),
);

const MachineSheet = dialogOnDemand(() =>
  import("./machine-sheet").then((module) => module.MachineSheet),
);

/** The actions; the dialogs are shared with the lists. */
export function DetailActions({
  equipment,
  replacing,
  onReplacing,
}: {
  equipment: Equipment;
  /** Replace meter is open. */
  replacing: boolean;
  onReplacing: (open: boolean) => void;
}) {
  const { t } = useTranslation();
  const [openAction, setOpenAction] = useState<RowAction | null>(null);
  const navigate = useNavigate();
  const [printing, setPrinting] = useState(false);
  const stopPrinting = useCallback(() => setPrinting(false), []);
  const serviced = hasServicePlan(equipment) || equipment.moreTasks > 0;
  const hasMeter = unitWord(equipment.unit) !== "n/a";
  const hasFuel = equipmentFuelWord(equipment.fuel) !== "n/a";
  const icon = "size-4 text-muted";
  return (
    <div className="no-print flex flex-wrap gap-2 max-md:w-full">
      {(hasMeter || hasFuel) && (
        <Button
          variant={hasMeter || !serviced ? "primary" : "secondary"}
          className="max-md:w-full"
          onClick={() => setOpenAction("usage")}
        >
          {hasMeter ? (
            <Gauge aria-hidden className="size-4" />
          ) : (
            <Fuel aria-hidden className="size-4" />
          )}
          {hasMeter ? t("equipment.actions.updateUsage") : t("equipment-dialogs.usage.addFuel")}
        </Button>
      )}
      <div className="flex gap-2 max-md:w-full">
        {serviced && (
          <Button
            variant={hasMeter ? "secondary" : "primary"}
            className="max-md:min-w-0 max-md:flex-1"
            onClick={() => setOpenAction("serviced")}
          >
            <Wrench aria-hidden className="size-4 shrink-0" />
            {t("equipment.actions.markServiced")}
          </Button>
        )}
        <Button asChild className={serviced ? "max-md:px-4.5" : "max-md:flex-1"}>
          <Link to="/add-equipment" search={{ edit: equipment.id, from: "item" }}>
            <Pencil aria-hidden className="size-4" />
            {/* On a phone there is only room for an icon beside Mark as Serviced. */}
            <span className={serviced ? "max-md:sr-only" : undefined}>
              {t("equipment.actions.edit")}
            </span>
          </Link>
        </Button>
        <Menu
          trigger={
            <Button icon aria-label={t("equipment.actions.label", { name: equipment.name })}>
              <EllipsisVertical aria-hidden className="size-5" />
            </Button>
          }
        >
          <MenuItem
            icon={<NotebookPen aria-hidden className={icon} />}
            onSelect={() => setOpenAction("notes")}
          >
            {t("equipment-detail.actions.addNote")}
          </MenuItem>
          {hasMeter && (
            <MenuItem
              icon={<RefreshCw aria-hidden className={icon} />}
              onSelect={() => onReplacing(true)}
            >
              {t("equipment-meters.replace.action")}
            </MenuItem>
          )}
          <MenuItem
            icon={<Copy aria-hidden className={icon} />}
            onSelect={() => void navigate({ to: "/add-equipment", search: { copy: equipment.id } })}
          >
            {t("equipment.actions.copy")}
          </MenuItem>
          <MenuItem
            icon={<Printer aria-hidden className={icon} />}
            onSelect={() => setPrinting(true)}
          >
            {t("equipment-detail.print.action")}
          </MenuItem>
          <WatchItem equipment={equipment} />
          <MenuSeparator />
          <MenuItem
            danger
            icon={<Trash2 aria-hidden className="size-4" />}
            onSelect={() => setOpenAction("delete")}
          >
            {t("equipment-detail.actions.remove")}
          </MenuItem>
        </Menu>
      </div>
      {replacing && hasMeter && (
        <ReplaceMeterDialog equipment={equipment} onClose={() => onReplacing(false)} />
      )}
      {printing && <MachineSheet equipment={equipment} onClose={stopPrinting} />}
      {openAction && (
        <EquipmentDialogs
          action={openAction}
          equipment={equipment}
          onClose={() => setOpenAction(null)}
        />
      )}
    </div>
  );
}
