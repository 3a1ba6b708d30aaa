import { useTransport } from "@connectrpc/connect-query";
import { useMutation } from "@tanstack/react-query";
import {
  AlarmClock,
  Archive,
  ChevronDown,
  CircleDot,
  Download,
  ListChecks,
  Shapes,
  Tags,
  Wrench,
} from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useErrorText } from "#/api/error-text";
import type { Equipment } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import type { EquipmentFilter } from "#/domain/equipment-filter";
import { SelectionBar } from "#/shared/table/selection-bar";
import { toast } from "#/shared/toast/store";
import { Button } from "#/shared/ui/button";
import { dialogOnDemand } from "#/shared/ui/dialog-on-demand";
import { Menu, MenuItem, MenuSeparator } from "#/shared/ui/menu";
import { allPages } from "../table/all-pages";
import type { BulkAction } from "./bulk-dialogs";
import type { ListSelection } from "#/shared/table/use-list-selection";

const BulkDialogs = dialogOnDemand(() =>
  import("./bulk-dialogs").then((module) => module.BulkDialogs),
);

const maxMachines = 500;

/** Selects all matches, and starts an action for the selected machines. */
export function BulkBar({
  selection,
  rows,
  matching,
  filter,
  onExport,
}: {
  selection: ListSelection<Equipment>;
  rows: readonly Equipment[];
  /** The total number of matches. */
  matching: number;
  filter: EquipmentFilter;
  onExport: (machines: readonly Equipment[]) => void;
}) {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const transport = useTransport();
  const [action, setAction] = useState<BulkAction | null>(null);
  const selectAll = useMutation({
    // The list may not be loaded whole.
    mutationFn: async (of: EquipmentFilter) =>
      rows.length < matching ? allPages(transport, of) : rows,
    onSuccess: (all) => selection.set(all, true),
    onError: (error) => toast.failure(t("equipment-dialogs.error"), errorText(error)),
  });
  const { chosen } = selection;
  const count = chosen.length;
  // Chosen before the filter changed, or while another page was open.
  const inList = new Set(rows.map(({ id }) => id));
  if (selectAll.variables === filter) for (const { id } of selectAll.data ?? []) inList.add(id);
  const hidden = chosen.filter(({ id }) => !inList.has(id)).length;
  const icon = "size-4 text-muted";
  return (
    <>
      <SelectionBar
        selection={selection}
        count={count}
        matching={matching}
        onAll={() => selectAll.mutate(filter)}
        text={
          hidden > 0
            ? [
                t("equipment-bulk.selected", { count }),
                t("equipment-bulk.hidden", { count: hidden }),
              ].join(", ")
            : null
        }
      >
        {count > 0 && count <= maxMachines ? (
          <Menu
            trigger={
              <Button variant="primary" size="small">
                {t("equipment-bulk.actions")}
                <ChevronDown aria-hidden className="size-4" />
              </Button>
            }
          >
            <MenuItem
              icon={<Wrench aria-hidden className={icon} />}
              onSelect={() => setAction("serviced")}
            >
              {t("equipment.actions.markServiced")}
            </MenuItem>
            <MenuItem
              icon={<AlarmClock aria-hidden className={icon} />}
              onSelect={() => setAction("snooze")}
            >
              {t("equipment-bulk.snooze.action")}
            </MenuItem>
            <MenuItem
              icon={<ListChecks aria-hidden className={icon} />}
              onSelect={() => setAction("taskSet")}
            >
              {t("equipment-bulk.taskSet")}
            </MenuItem>
            <MenuItem
              icon={<Shapes aria-hidden className={icon} />}
              onSelect={() => setAction("type")}
            >
              {t("equipment-bulk.type.action")}
            </MenuItem>
            <MenuItem
              icon={<Tags aria-hidden className={icon} />}
              onSelect={() => setAction("group")}
            >
              {t("equipment-bulk.group.action")}
            </MenuItem>
            <MenuItem
              icon={<CircleDot aria-hidden className={icon} />}
              onSelect={() => setAction("operational")}
            >
              {t("equipment-bulk.operational.action")}
            </MenuItem>
            <MenuSeparator />
            <MenuItem
              icon={<Download aria-hidden className={icon} />}
              onSelect={() => onExport(chosen)}
            >
              {t("equipment-list.exportCsv")}
            </MenuItem>
            <MenuItem
              danger
              icon={<Archive aria-hidden className="size-4" />}
              onSelect={() => setAction("retire")}
            >
              {t("equipment-bulk.retire.action")}
            </MenuItem>
          </Menu>
        ) : (
          <Button
            variant="primary"
            size="small"
            disabledReason={
              count === 0
                ? t("equipment-bulk.none")
                : t("task-sets.assign.tooMany", { max: maxMachines })
            }
          >
            {t("equipment-bulk.actions")}
            <ChevronDown aria-hidden className="size-4" />
          </Button>
        )}
      </SelectionBar>
      {action && (
        <BulkDialogs
          action={action}
          machines={chosen}
          onClose={() => {
            setAction(null);
            // Retired machines are no longer in the list.
            if (action === "retire") selection.clear();
          }}
          onDone={() => {
            setAction(null);
            selection.clear();
          }}
        />
      )}
    </>
  );
}
