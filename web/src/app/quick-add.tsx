import { useState, type ComponentPropsWithRef, type ReactElement } from "react";
import { withTexts } from "#/i18n/lazy-with-texts";
import { useNavigation } from "#/shared/navigation";
import { onDemand } from "#/shared/on-demand";
import { dialogOnDemand } from "#/shared/ui/dialog-on-demand";
import { Menu } from "#/shared/ui/menu";
import type { MachineEntry, QuickAddKind } from "./quick-add-kinds";

const items = onDemand(
  withTexts(["commands"], () => import("./quick-add-items").then((module) => module.QuickAddItems)),
);

export const MachineEntryDialogs = dialogOnDemand(
  withTexts(["commands", "home", "person"], () =>
    import("./machine-entry").then((module) => module.MachineEntryDialogs),
  ),
);

/** The menu of everything that can be added from any page. `trigger` is its button. */
export function QuickAdd({
  trigger,
  align = "end",
}: {
  trigger: ReactElement<ComponentPropsWithRef<"button">>;
  align?: "center" | "end";
}) {
  const { go } = useNavigation();
  const [entry, setEntry] = useState<MachineEntry | null>(null);
  const choose = (kind: QuickAddKind) => {
    if (kind === "machine") void go("/add-equipment");
    else if (kind === "operator") void go("/employees?open=add");
    else setEntry(kind);
  };
  return (
    <>
      <Menu needs={items} trigger={trigger} align={align}>
        <items.Component onChoose={choose} />
      </Menu>
      {entry && <MachineEntryDialogs entry={entry} onClose={() => setEntry(null)} />}
    </>
  );
}
