import { Fuel, Gauge, NotebookPen, Tractor, UserPlus, Wrench, type LucideIcon } from "lucide-react";
import { useTranslation } from "react-i18next";
import { key, type TextKey } from "#/i18n/key";
import { MenuItem, MenuSeparator } from "#/shared/ui/menu";
import type { QuickAddKind } from "./quick-add-kinds";

export const entries = [
  ["reading", key("commands.add.reading"), Gauge],
  ["fuel", key("commands.add.fuel"), Fuel],
  ["service", key("commands.add.service"), Wrench],
  ["note", key("commands.add.note"), NotebookPen],
] as const satisfies ReadonlyArray<[QuickAddKind, TextKey, LucideIcon]>;

const masterData = [
  ["machine", key("commands.add.machine"), Tractor],
  ["operator", key("commands.add.operator"), UserPlus],
] as const satisfies ReadonlyArray<[QuickAddKind, TextKey, LucideIcon]>;

export function QuickAddItems({ onChoose }: { onChoose: (kind: QuickAddKind) => void }) {
  const { t } = useTranslation();
  const item = ([kind, label, Icon]: (typeof entries | typeof masterData)[number]) => (
    <MenuItem
      key={kind}
      icon={<Icon aria-hidden className="size-4 text-muted" />}
      onSelect={() => onChoose(kind)}
    >
      {t(label)}
    </MenuItem>
  );
  return (
    <>
      {entries.map(item)}
      <MenuSeparator />
      {masterData.map(item)}
    </>
  );
}
