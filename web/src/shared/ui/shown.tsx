import { X } from "lucide-react";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "./button";

/** How many rows a list shows, and, if a filter narrows it, the way back to all. */
export function Shown({
  children,
  onClear,
}: {
  children: ReactNode;
  onClear?: (() => void) | false;
}) {
  const { t } = useTranslation();
  return (
    <span className="inline-flex min-h-5 flex-wrap items-center gap-x-2 text-muted">
      <span role="status">{children}</span>
      {onClear && (
        <Button variant="quiet" size="small" className="no-print -my-1" onClick={onClear}>
          <X aria-hidden className="size-4" />
          {t("common.clear")}
        </Button>
      )}
    </span>
  );
}
