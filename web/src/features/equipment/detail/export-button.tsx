import { Download } from "lucide-react";
import { useTranslation } from "react-i18next";
import { Button } from "#/shared/ui/button";

export function ExportButton({
  run,
  pending,
  disabledReason,
}: {
  run: () => void;
  pending: boolean;
  disabledReason?: string | undefined;
}) {
  const { t } = useTranslation();
  return (
    <Button
      size="small"
      onClick={run}
      pending={pending}
      pendingLabel={t("equipment-detail.export.pending")}
      disabledReason={disabledReason}
    >
      <Download aria-hidden className="size-4" />
      {t("equipment-detail.export.action")}
    </Button>
  );
}
