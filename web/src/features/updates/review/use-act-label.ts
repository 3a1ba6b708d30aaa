import type { TFunction } from "i18next";
import { useTranslation } from "react-i18next";
import type { Act } from "./fixes";

/** The labels of the fixes. */
export function useActLabel(): (act: Act) => string {
  const { t } = useTranslation();
  return (act) => label(t, act);
}

function label(t: TFunction, act: Act): string {
  switch (act) {
    case "apply":
      return t("review.act.accept");
    case "correct":
      return t("review.act.correct");
    case "move":
      return t("review.act.move");
    case "replaced":
      return t("review.act.replaced");
    case "rolledOver":
      return t("review.act.rolledOver");
    case "reject":
      return t("review.act.reject");
  }
}
