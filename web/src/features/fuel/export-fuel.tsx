import type { Timestamp } from "@bufbuild/protobuf/wkt";
import { Download, Printer } from "lucide-react";
import { useTranslation } from "react-i18next";
import { Button } from "#/shared/ui/button";
import type { FuelDays } from "./range";
import { useExportFuel } from "./use-export-fuel";

/** Exports the fuel entries as CSV, or prints them. */
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
  const { exportFuel, exporting, printFuel, printing } = useExportFuel(
    days,
    periodBeganAt,
    withConsumption,
  );
  const disabledReason = days ? undefined : t("fuel.range.chooseDays");
  return (
    <>
      <Button
        size="small"
        onClick={exportFuel}
        pending={exporting}
        pendingLabel={t("fuel.exporting")}
        disabledReason={disabledReason}
      >
        <Download aria-hidden className="size-4" />
        {t("fuel.export")}
      </Button>
      <Button
        size="small"
        onClick={printFuel}
        pending={printing}
        pendingLabel={t("fuel.printing")}
        disabledReason={disabledReason}
      >
        <Printer aria-hidden className="size-4" />
        {t("fuel.print")}
      </Button>
    </>
  );
}
