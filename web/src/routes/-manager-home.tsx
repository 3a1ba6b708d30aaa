import { getRouteApi } from "@tanstack/react-router";
import { useCallback } from "react";
import { useTranslation } from "react-i18next";
import type { EquipmentFilter } from "#/domain/equipment-filter";
import { DashboardPage } from "#/features/dashboard/dashboard-page";
import { HistoryCard } from "#/features/dashboard/history-card";
import { EquipmentOverview } from "#/features/equipment/equipment-overview";
import { ReviewLine } from "#/features/updates/review-line";
import { ReviewSection } from "#/features/updates/review-section";
import { Button } from "#/shared/ui/button";

const route = getRouteApi("/");

/** The dashboard with the parts that other features bring. */
export function ManagerHome() {
  const { t } = useTranslation();
  const filter = route.useSearch();
  const navigate = route.useNavigate();
  const change = (next: EquipmentFilter) =>
    void navigate({
      search: (last) => ({ ...last, ...next }),
      replace: true,
      resetScroll: false,
    });
  const add = () => void navigate({ to: "/add-equipment" });
  const edit = useCallback(
    (id: string) => void navigate({ to: "/add-equipment", search: { edit: id } }),
    [navigate],
  );
  return (
    <DashboardPage
      filter={filter}
      onFilter={change}
      onAdd={add}
      overview={
        <EquipmentOverview
          filter={filter}
          onClearFilters={() => change({ status: undefined, type: undefined, search: undefined })}
          onEdit={edit}
          addAction={
            <Button variant="primary" onClick={add}>
              {t("equipment.overview.addFirst")}
            </Button>
          }
        />
      }
      review={<ReviewLine />}
      updates={<ReviewSection below={<HistoryCard />} />}
    />
  );
}
