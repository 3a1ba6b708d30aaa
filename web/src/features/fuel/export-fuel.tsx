import type { Timestamp } from "@bufbuild/protobuf/wkt";
import { Download } from "lucide-react";
import { useTranslation } from "react-i18next";
import { Button } from "#/shared/ui/button";
import type { FuelDays } from "./range";
import { useExportFuel } from "./use-export-fuel";

export function ExportFuel({
  days,
  periodBeganAt,
  withConsumption = false,
}: {
  /** Null while the range is invalid. */
  days: FuelDays | null;
  periodBeganAt: Timestamp | undefined;
  /** Whether the plan includes consumption. */
  withConsumption?: boolean;
}) {
  const { t } = useTranslation();
  const { exportFuel, exporting } = useExportFuel(days, periodBeganAt, withConsumption);
  return (
    <Button
      size="small"
      onClick={exportFuel}
      pending={exporting}
      pendingLabel={t("fuel.exporting")}
      disabledReason={days ? undefined : t("fuel.range.chooseDays")}
    >
      <Download aria-hidden className="size-4" />
      {t("fuel.export")}
    </Button>
  );
}
