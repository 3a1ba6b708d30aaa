import { createFileRoute, notFound, redirect } from "@tanstack/react-router";
import * as v from "valibot";
import {
  equipmentFilterSchema,
  statusOfPath,
  type EquipmentFilter,
} from "#/domain/equipment-filter";
import { ByStatusPage } from "#/features/equipment/by-status/by-status-page";
import { statusTitle } from "#/features/equipment/by-status/status-title";
import { EquipmentTabs } from "#/features/equipment/views/equipment-tabs";
import { prefetch } from "../-prefetch";

/** Accepts both names of a status; the URL keeps the short one. */
export const Route = createFileRoute("/_manager/equipment/$status")({
  validateSearch: v.omit(equipmentFilterSchema, ["status"]),
  beforeLoad: ({ params, search }) => {
    const status = statusOfPath(params.status);
    if (!status) throw notFound();
    if (status !== params.status) {
      throw redirect({ to: "/equipment/$status", params: { status }, search, replace: true });
    }
  },
  staticData: {
    title: (_search, { status }) => statusTitle(statusOfPath(String(status)) ?? "all"),
  },
  loaderDeps: ({ search }) => search,
  loader: ({ context, params, deps }) => {
    const status = statusOfPath(params.status);
    const filter = status && status !== "all" ? { ...deps, status } : deps;
    prefetch(context, (pages) => pages.byStatus(filter));
  },
  component: ByStatusRoute,
});

function ByStatusRoute() {
  const status = statusOfPath(Route.useParams().status) ?? "all";
  const filter = Route.useSearch();
  const navigate = Route.useNavigate();
  const change = (next: EquipmentFilter) =>
    void navigate({
      search: (last) => ({ ...last, ...next }),
      replace: true,
      resetScroll: false,
    });
  return (
    <ByStatusPage
      key={status}
      status={status}
      filter={filter}
      onFilter={change}
      tabs={<EquipmentTabs />}
    />
  );
}
