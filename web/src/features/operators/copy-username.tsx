import { Copy } from "lucide-react";
import { useTranslation } from "react-i18next";
import { Button } from "#/shared/ui/button";
import { useCopy } from "#/shared/use-copy";

export function CopyUsername({
  username,
  labelled = false,
}: {
  username: string;
  /** With a label beside the icon. */
  labelled?: boolean;
}) {
  const { t } = useTranslation();
  const copy = useCopy();
  const run = () =>
    void copy(username, t("operators.copy.done"), t("operators.copy.doneText", { username }));
  const label = t("operators.copy.label", { username });
  return labelled ? (
    <Button aria-label={label} onClick={run}>
      <Copy aria-hidden className="size-4" />
      {t("operators.copy.short")}
    </Button>
  ) : (
    <Button variant="quiet" size="small" icon aria-label={label} onClick={run}>
      <Copy aria-hidden className="size-4" />
    </Button>
  );
}
