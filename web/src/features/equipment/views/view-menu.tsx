import { SlidersHorizontal } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { EquipmentFilter } from "#/domain/equipment-filter";
import { withTexts } from "#/i18n/lazy-with-texts";
import { onDemand } from "#/shared/on-demand";
import { Button } from "#/shared/ui/button";
import { dialogOnDemand } from "#/shared/ui/dialog-on-demand";
import { Menu } from "#/shared/ui/menu";
import type { Screen } from "../table/equipment-columns";

const items = onDemand(
  withTexts(["office"], () => import("./view-menu-items").then((module) => module.ViewMenuItems)),
);
const SaveViewDialog = dialogOnDemand(
  withTexts(["office"], () => import("./save-view-dialog").then((module) => module.SaveViewDialog)),
);

/** Density, columns and saved views of a list. */
export function ViewMenu({
  screen,
  filter,
  onFilter,
}: {
  screen: Screen;
  filter: EquipmentFilter;
  /** Merges these values into the filter. */
  onFilter: (change: EquipmentFilter) => void;
}) {
  const { t } = useTranslation();
  const [saving, setSaving] = useState(false);
  return (
    <>
      <Menu
        needs={items}
        trigger={
          <Button>
            <SlidersHorizontal aria-hidden className="size-4" />
            {t("equipment.overview.view")}
          </Button>
        }
      >
        <items.Component
          screen={screen}
          filter={filter}
          onFilter={onFilter}
          onSave={() => setSaving(true)}
        />
      </Menu>
      {saving && <SaveViewDialog filter={filter} onClose={() => setSaving(false)} />}
    </>
  );
}
