import { getRouteApi } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import type { EquipmentFilter } from "#/domain/equipment-filter";
import { AdminToolsCard } from "#/features/admin-tools/admin-tools-card";
import { DashboardPage } from "#/features/dashboard/dashboard-page";
import { HistoryCard } from "#/features/dashboard/history-card";
import { EquipmentOverview } from "#/features/equipment/overview/equipment-overview";
import { ExportReport } from "#/features/equipment/overview/export-report";
import { FuelSection } from "#/features/fuel/fuel-section";
import type { FuelRange } from "#/features/fuel/range";
import { ReviewLine } from "#/features/updates/review-line";
import { ReviewSection } from "#/features/updates/review-section";
import { Button } from "#/shared/ui/button";

const route = getRouteApi("/");

/** The dashboard with the parts that other features bring. */
export function ManagerHome() {
  const { t } = useTranslation();
  const { fuel, fuelFrom, fuelTo, ...filter } = route.useSearch();
  const navigate = route.useNavigate();
  const change = (next: EquipmentFilter | FuelRange) =>
    void navigate({
      search: (last) => ({ ...last, ...next }),
      replace: true,
      resetScroll: false,
    });
  const add = () => void navigate({ to: "/add-equipment" });
  return (
    <DashboardPage
      filter={filter}
      onFilter={change}
      onAdd={add}
      exportButton={<ExportReport filter={filter} />}
      overview={
        <EquipmentOverview
          filter={filter}
          onFilter={change}
          addAction={
            <Button variant="primary" onClick={add}>
              {t("equipment.overview.addFirst")}
            </Button>
          }
        />
      }
      review={<ReviewLine />}
      updates={
        <>
          <ReviewSection below={<HistoryCard />} />
          <FuelSection range={{ fuel, fuelFrom, fuelTo }} onRange={change} />
          <AdminToolsCard />
        </>
      }
    />
  );
}
