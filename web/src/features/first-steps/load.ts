import { withTexts } from "#/i18n/lazy-with-texts";
import { once } from "#/shared/once";

export const loadFirstSteps = once(
  withTexts(["commands", "security"], () => import("./first-steps")),
);
