import { Copy } from "lucide-react";
import { useTranslation } from "react-i18next";
import { toast } from "#/shared/toast/store";
import { Button } from "#/shared/ui/button";

export function CopyUsername({
  username,
  labelled = false,
}: {
  username: string;
  /** With its word beside the icon. */
  labelled?: boolean;
}) {
  const { t } = useTranslation();
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(username);
      toast.success(t("operators.copy.done"), t("operators.copy.doneText", { username }));
    } catch {
      // Pages without https, or a refused permission, have no clipboard.
      toast.failure(t("operators.copy.failed"), t("operators.copy.failedText"));
    }
  };
  const label = t("operators.copy.label", { username });
  return labelled ? (
    <Button aria-label={label} onClick={() => void copy()}>
      <Copy aria-hidden className="size-4" />
      {t("operators.copy.short")}
    </Button>
  ) : (
    <Button variant="quiet" size="small" icon aria-label={label} onClick={() => void copy()}>
      <Copy aria-hidden className="size-4" />
    </Button>
  );
}
