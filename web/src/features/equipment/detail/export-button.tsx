import { Download } from "lucide-react";
import { useTranslation } from "react-i18next";
import { Button } from "#/shared/ui/button";

export function ExportButton({ run, pending }: { run: () => void; pending: boolean }) {
  const { t } = useTranslation();
  return (
    <Button
      size="small"
      onClick={run}
      pending={pending}
      pendingLabel={t("equipment-detail.export.pending")}
    >
      <Download aria-hidden className="size-4" />
      {t("equipment-detail.export.action")}
    </Button>
  );
}
