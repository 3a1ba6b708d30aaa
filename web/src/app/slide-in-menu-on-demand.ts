import { withTexts } from "#/i18n/lazy-with-texts";
import { dialogOnDemand } from "#/shared/ui/dialog-on-demand";

export const SlideInMenu = dialogOnDemand(
  withTexts(["profile"], () => import("./slide-in-menu").then((module) => module.SlideInMenu)),
);
