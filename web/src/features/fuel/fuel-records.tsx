import { useTransport } from "@connectrpc/connect-query";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Card } from "#/shared/ui/card";
import { ExportFuel } from "./export-fuel";
import { latestFuelQuery } from "./queries";
import { sinceReset } from "./range";
import { ResetFuel } from "./reset-fuel";

/** The fuel file and the reset, which every plan has. */
export function FuelRecords() {
  const { t } = useTranslation();
  const { data } = useQuery(latestFuelQuery(useTransport()));
  return (
    <Card
      flush
      title={t("fuel.records.title")}
      description={t("fuel.records.text")}
      actions={
        <>
          <ExportFuel days={sinceReset} periodBeganAt={undefined} />
          <ResetFuel isEmpty={data && data.records.length === 0} />
        </>
      }
    />
  );
}
