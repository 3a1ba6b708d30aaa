import { getRouteApi } from "@tanstack/react-router";
import { Suspense } from "react";
import type { EquipmentFilter } from "#/domain/equipment-filter";
import { DashboardPage } from "#/features/dashboard/dashboard-page";
import { AddEquipment } from "#/features/equipment/add-equipment";
import { EquipmentOverview } from "#/features/equipment/overview/equipment-overview";
import { ExportReport } from "#/features/equipment/overview/export-report";
import { useOverviewPages } from "#/features/equipment/overview/use-overview-pages";
import { loadFirstSteps } from "#/features/first-steps/load";
import type { FuelRange } from "#/features/fuel/range-search";
import { lazyWithTexts, withTexts } from "#/i18n/lazy-with-texts";
import { useSession } from "#/session/session";
import { belowFold } from "#/shared/below-fold";
import { lazyLoaded } from "#/shared/lazy-loaded";
import { Skeleton } from "#/shared/ui/skeleton";

const FirstSteps = lazyLoaded(() => loadFirstSteps().then((module) => module.FirstSteps));
const PendingCount = lazyWithTexts(["person"], () =>
  import("#/features/updates/pending-badge").then((module) => module.PendingCount),
);
const Reports = belowFold(
  withTexts(["office"], () =>
    import("./-manager-home-reports").then((module) => module.ManagerHomeReports),
  ),
  "70rem",
);
const Tools = belowFold(
  withTexts(["office"], () =>
    import("./-manager-home-tools").then((module) => module.ManagerHomeTools),
  ),
  "60rem",
);

const route = getRouteApi("/");

/** Composes the dashboard from several features. */
export function ManagerHome() {
  const { fuel, fuelFrom, fuelTo, ...filter } = route.useSearch();
  const navigate = route.useNavigate();
  const firstSteps = useSession()?.notices.find(({ kind }) => kind === "first_steps");
  const ready = !useOverviewPages(filter).query.isPending;
  const change = (next: EquipmentFilter | FuelRange) =>
    void navigate({
      search: (last) => ({ ...last, ...next }),
      replace: true,
      resetScroll: false,
    });
  return (
    <DashboardPage
      filter={filter}
      onFilter={change}
      addButton={<AddEquipment />}
      exportButton={<ExportReport filter={filter} />}
      overview={
        <EquipmentOverview filter={filter} onFilter={change} addAction={<AddEquipment first />} />
      }
      firstSteps={
        firstSteps && (
          <Suspense fallback={<Skeleton growing className="h-112 w-full rounded-card" />}>
            <FirstSteps notice={firstSteps} />
          </Suspense>
        )
      }
      waiting={
        <Suspense fallback="–">
          <PendingCount />
        </Suspense>
      }
      updates={
        <>
          <Reports ready={ready} props={{}} />
          <Tools ready={ready} props={{ range: { fuel, fuelFrom, fuelTo }, onRange: change }} />
        </>
      }
    />
  );
}
