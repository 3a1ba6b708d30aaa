import { useTranslation } from "react-i18next";
import { toast } from "#/shared/toast/store";

/** Copies text to the clipboard and shows a toast; returns whether it succeeded. */
export function useCopyText(): (text: string) => Promise<boolean> {
  const { t } = useTranslation();
  return async (text) => {
    try {
      await navigator.clipboard.writeText(text);
      toast.success(t("second-factor.copied"));
      return true;
    } catch {
      // Pages without https, or a refused permission, have no clipboard.
      toast.failure(t("operators.copy.failed"), t("operators.copy.failedText"));
      return false;
    }
  };
}
