import { useTranslation } from "react-i18next";
import { toast } from "#/shared/toast/store";

/** Copies text to the clipboard and shows a toast; returns whether it succeeded. */
export function useCopy(): (text: string, done: string, doneText?: string) => Promise<boolean> {
  const { t } = useTranslation();
  return async (text, done, doneText) => {
    try {
      await navigator.clipboard.writeText(text);
      toast.success(done, doneText);
      return true;
    } catch {
      // Pages without https, or a refused permission, have no clipboard.
      toast.failure(t("operators.copy.failed"), t("operators.copy.failedText"));
      return false;
    }
  };
}
