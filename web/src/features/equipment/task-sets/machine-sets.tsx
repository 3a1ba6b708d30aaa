import { useTransport } from "@connectrpc/connect-query";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { EllipsisVertical, Plus, RefreshCw, RotateCcw, Unlink } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useErrorText } from "#/api/error-text";
import type { Equipment } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import {
  TaskSetChangeKind,
  TaskSetMode,
  type TaskSetResult,
} from "#/api/gen/hourmeter/equipment/v1/task_sets_pb";
import { Button } from "#/shared/ui/button";
import { Card } from "#/shared/ui/card";
import { ErrorPanel } from "#/shared/ui/error-panel";
import { Menu, MenuItem } from "#/shared/ui/menu";
import { ApplyDialog } from "./apply-dialog";
import { ChooseSetDialog } from "./choose-set-dialog";
import { machineSetsQuery } from "./queries";
import { Changes, changesMachine } from "./result-list";

/** The task sets of a machine, and how the machine differs from them. */
export function MachineSets({ equipment }: { equipment: Equipment }) {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const query = useQuery(machineSetsQuery(useTransport(), equipment.id));
  const [open, setOpen] = useState<{ set: TaskSetResult; mode: TaskSetMode } | "choose" | null>(
    null,
  );
  const close = () => setOpen(null);
  const sets = query.data?.results ?? [];
  return (
    <Card
      flush
      title={t("shell.titles.taskSets")}
      description={sets.length === 0 ? t("task-sets.machine.none") : t("task-sets.machine.text")}
      actions={
        <>
          <Button asChild variant="quiet" size="small">
            <Link to="/task-sets">{t("task-sets.machine.all")}</Link>
          </Button>
          <Button size="small" onClick={() => setOpen("choose")}>
            <Plus aria-hidden className="size-4" />
            {t("task-sets.machine.add")}
          </Button>
        </>
      }
    >
      {query.error && (
        <div className="border-t border-line p-4">
          <ErrorPanel
            title={t("task-sets.failed")}
            reason={errorText(query.error)}
            onRetry={() => void query.refetch()}
            retrying={query.isFetching}
          />
        </div>
      )}
      {sets.length > 0 && (
        <ul
          aria-label={t("shell.titles.taskSets")}
          className="divide-y divide-line border-t border-line"
        >
          {sets.map((set) => (
            <MachineSet
              key={set.taskSetId}
              equipment={equipment}
              set={set}
              onApply={(mode) => setOpen({ set, mode })}
            />
          ))}
        </ul>
      )}
      {open === "choose" && <ChooseSetDialog equipmentIds={[equipment.id]} onClose={close} />}
      {open !== null && open !== "choose" && (
        <ApplyDialog
          set={{ id: open.set.taskSetId, name: open.set.taskSetName, unit: equipment.unit }}
          mode={open.mode}
          equipmentIds={[equipment.id]}
          onClose={close}
        />
      )}
    </Card>
  );
}

function MachineSet({
  equipment,
  set,
  onApply,
}: {
  equipment: Equipment;
  set: TaskSetResult;
  onApply: (mode: TaskSetMode) => void;
}) {
  const { t } = useTranslation();
  const name = set.taskSetName;
  const differs = set.changes.some(({ kind }) => kind === TaskSetChangeKind.KEPT);
  const outdated = changesMachine(set);
  return (
    <li className="flex flex-wrap items-start justify-between gap-x-6 gap-y-3 px-4 py-4 md:px-5">
      <div className="min-w-0 flex-1 basis-48">
        <p className="font-semibold wrap-anywhere">{name}</p>
        {outdated && <p className="text-muted">{t("task-sets.machine.outdated")}</p>}
        {differs && !outdated && (
          <p className="text-muted">{t("task-sets.machine.differs", { name })}</p>
        )}
        <Changes changes={set.changes} unit={equipment.unit} />
      </div>
      <div className="no-print flex flex-wrap gap-2">
        {outdated && (
          <Button size="small" onClick={() => onApply(TaskSetMode.UPDATE)}>
            <RefreshCw aria-hidden className="size-4" />
            {t("task-sets.machine.update")}
          </Button>
        )}
        {differs && (
          <Button size="small" onClick={() => onApply(TaskSetMode.RESET)}>
            <RotateCcw aria-hidden className="size-4" />
            {t("task-sets.machine.reset")}
          </Button>
        )}
        <Menu
          trigger={
            <Button
              variant="quiet"
              size="small"
              icon
              aria-label={t("equipment.actions.label", { name })}
            >
              <EllipsisVertical aria-hidden className="size-5" />
            </Button>
          }
        >
          <MenuItem
            danger
            icon={<Unlink aria-hidden className="size-4" />}
            onSelect={() => onApply(TaskSetMode.REMOVE)}
          >
            {t("task-sets.machine.remove")}
          </MenuItem>
        </Menu>
      </div>
    </li>
  );
}
