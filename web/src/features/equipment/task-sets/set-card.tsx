import { EllipsisVertical, Pencil, RefreshCw, Tractor, Trash2 } from "lucide-react";
import { useTranslation } from "react-i18next";
import type { TaskSet } from "#/api/gen/hourmeter/equipment/v1/task_sets_pb";
import { Button } from "#/shared/ui/button";
import { Card } from "#/shared/ui/card";
import { Menu, MenuItem, MenuSeparator } from "#/shared/ui/menu";
import { useIntervalText } from "../detail/use-interval-text";

export type SetAction = "edit" | "assign" | "apply" | "delete";

export function SetCard({
  set,
  onAction,
}: {
  set: TaskSet;
  onAction: (action: SetAction) => void;
}) {
  const { t } = useTranslation();
  const interval = useIntervalText();
  const { name, machines, outdatedMachines } = set;
  return (
    <li>
      <Card
        title={name}
        description={
          machines === 0
            ? t("task-sets.card.unused")
            : t("task-sets.card.used", { count: machines })
        }
        actions={
          <>
            <Button size="small" onClick={() => onAction("assign")}>
              <Tractor aria-hidden className="size-4" />
              {t("task-sets.card.assign")}
            </Button>
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
                icon={<Pencil aria-hidden className="size-4 text-muted" />}
                onSelect={() => onAction("edit")}
              >
                {t("task-sets.card.edit")}
              </MenuItem>
              <MenuSeparator />
              <MenuItem
                danger
                icon={<Trash2 aria-hidden className="size-4" />}
                onSelect={() => onAction("delete")}
              >
                {t("task-sets.card.delete")}
              </MenuItem>
            </Menu>
          </>
        }
      >
        {outdatedMachines > 0 && (
          <div className="mb-4 flex flex-wrap items-center justify-between gap-x-4 gap-y-2 rounded-(--control-radius) bg-accent-soft px-3.5 py-2">
            <p>{t("task-sets.card.outdated", { count: outdatedMachines })}</p>
            <Button size="small" onClick={() => onAction("apply")}>
              <RefreshCw aria-hidden className="size-4" />
              {t("task-sets.card.review")}
            </Button>
          </div>
        )}
        <ul className="grid gap-x-6 gap-y-2 md:grid-cols-2">
          {set.items.map((item) => (
            <li key={item.id} className="flex justify-between gap-4 border-b border-line pb-2">
              <span className="min-w-0 font-semibold wrap-anywhere">{item.name}</span>
              <span className="shrink-0 text-right text-muted max-w-1/2">
                {interval({ ...item, unit: set.unit })}
              </span>
            </li>
          ))}
        </ul>
      </Card>
    </li>
  );
}
