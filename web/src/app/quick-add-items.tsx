import { Fuel, Gauge, NotebookPen, Tractor, UserPlus, Wrench, type LucideIcon } from "lucide-react";
import { useTranslation } from "react-i18next";
import { key, type TextKey } from "#/i18n/key";
import { KeyHint } from "#/shared/keys/key-hint";
import { MenuItem, MenuSeparator } from "#/shared/ui/menu";
import type { QuickAddKind } from "./quick-add-kinds";

export const entries = [
  ["reading", key("commands.add.reading"), Gauge, "L"],
  ["fuel", key("commands.add.fuel"), Fuel, "F"],
  ["service", key("commands.add.service"), Wrench, "S"],
  ["note", key("commands.add.note"), NotebookPen, "N"],
] as const satisfies ReadonlyArray<[QuickAddKind, TextKey, LucideIcon, string]>;

const masterData = [
  ["machine", key("commands.add.machine"), Tractor],
  ["operator", key("commands.add.operator"), UserPlus],
] as const satisfies ReadonlyArray<[QuickAddKind, TextKey, LucideIcon]>;

export function QuickAddItems({ onChoose }: { onChoose: (kind: QuickAddKind) => void }) {
  const { t } = useTranslation();
  const item = ([kind, label, Icon, letter]: readonly [
    QuickAddKind,
    TextKey,
    LucideIcon,
    letter?: string,
  ]) => (
    <MenuItem
      key={kind}
      icon={<Icon aria-hidden className="size-4 text-muted" />}
      onSelect={() => onChoose(kind)}
    >
      {t(label)}
      {letter && <KeyHint letter={letter} />}
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
