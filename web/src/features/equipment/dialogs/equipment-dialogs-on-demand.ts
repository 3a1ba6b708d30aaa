import { withTexts } from "#/i18n/lazy-with-texts";
import { dialogOnDemand } from "#/shared/ui/dialog-on-demand";

export const EquipmentDialogs = dialogOnDemand(
  withTexts(["office"], () =>
    import("./equipment-dialogs").then((module) => module.EquipmentDialogs),
  ),
);
