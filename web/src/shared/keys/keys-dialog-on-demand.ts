import { withTexts } from "#/i18n/lazy-with-texts";
import { dialogOnDemand } from "../ui/dialog-on-demand";

export const KeysDialog = dialogOnDemand(
  withTexts(["commands"], () => import("./keys-dialog").then((module) => module.KeysDialog)),
);
