import { createFileRoute } from "@tanstack/react-router";
import { useEffect } from "react";
import { equipmentFilterSchema, type EquipmentFilter } from "#/domain/equipment-filter";
import { EquipmentListPage } from "#/features/equipment/list/equipment-list-page";
import { rememberFilter } from "#/features/equipment/list/last-filter";
import { EquipmentTabs } from "#/features/equipment/views/equipment-tabs";
import { key } from "#/i18n/key";
import { prefetch } from "../-prefetch";

export const Route = createFileRoute("/_manager/equipment-list")({
  validateSearch: equipmentFilterSchema,
  staticData: { title: key("shell.titles.equipmentList") },
  loaderDeps: ({ search }) => search,
  loader: ({ context, deps }) => prefetch(context, (pages) => pages.equipmentList(deps)),
  component: EquipmentListRoute,
});

function EquipmentListRoute() {
  const filter = Route.useSearch();
  const navigate = Route.useNavigate();
  useEffect(() => rememberFilter(filter), [filter]);
  const change = (next: EquipmentFilter) =>
    void navigate({
      search: (last) => ({ ...last, ...next }),
      replace: true,
      resetScroll: false,
    });
  return <EquipmentListPage filter={filter} onFilter={change} tabs={<EquipmentTabs />} />;
}
