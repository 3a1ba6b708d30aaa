import { createFileRoute } from "@tanstack/react-router";
import { lazy } from "react";
import * as v from "valibot";
import { Home } from "#/app/home";
import { loadManagerHome, loadOperatorPage } from "#/app/load-home";
import { audienceOf } from "#/domain/permissions";
import { equipmentFilterSchema } from "#/domain/equipment-filter";
import { fuelRangeEntries } from "#/features/fuel/range";

import { prefetch } from "./-prefetch";

const ManagerHome = lazy(async () => ({ default: await loadManagerHome() }));

export const Route = createFileRoute("/")({
  validateSearch: v.object({ ...equipmentFilterSchema.entries, ...fuelRangeEntries }),
  loaderDeps: ({ search: { status, type, search, sort, desc } }) => ({
    status,
    type,
    search,
    sort,
    desc,
  }),
  loader: ({ context, deps }) => {
    // Starts loading the page's code now, not after the route's code.
    switch (audienceOf(context.user)) {
      case "manager":
        prefetch(context, (pages) => pages.home(deps));
        void loadManagerHome().catch(() => undefined);
        return;
      case "operator":
        void loadOperatorPage().catch(() => undefined);
        return;
      case "guest":
      case "staff":
    }
  },
  component: () => <Home manager={<ManagerHome />} />,
});
