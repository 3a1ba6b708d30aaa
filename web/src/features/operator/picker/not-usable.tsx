import { useTranslation } from "react-i18next";
import type { FieldMachine } from "../offline-data/machines";

/** "Out of service" or "In the shop"; nothing for a machine that works. */
export function NotUsable({ machine }: { machine: FieldMachine }) {
  const { t } = useTranslation();
  const status = machine.operationalStatus;
  if (status !== "out_of_service" && status !== "in_shop") return null;
  return (
    <span className="text-sm font-semibold text-danger">
      {status === "in_shop" ? t("operator.picker.inShop") : t("operator.picker.outOfService")}
    </span>
  );
}
