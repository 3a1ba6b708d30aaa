import { AdminToolsCard } from "#/features/admin-tools/admin-tools-card";
import { FuelSection } from "#/features/fuel/fuel-section";
import type { FuelRange } from "#/features/fuel/range-search";

export function ManagerHomeTools(props: { range: FuelRange; onRange: (range: FuelRange) => void }) {
  return (
    <>
      <FuelSection {...props} />
      <AdminToolsCard />
    </>
  );
}
