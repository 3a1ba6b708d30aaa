import { createFileRoute, redirect } from "@tanstack/react-router";
import * as v from "valibot";
import { Home } from "#/app/home";
import { loadManagerHome, loadOperatorPage } from "#/app/load-home";
import { audienceOf } from "#/domain/permissions";
import { equipmentFilterSchema } from "#/domain/equipment-filter";
import { fuelRangeEntries } from "#/features/fuel/range-search";

import { lazyLoaded } from "#/shared/lazy-loaded";
import { prefetchHome } from "./-prefetch";

const ManagerHome = lazyLoaded(loadManagerHome);

export const Route = createFileRoute("/")({
  validateSearch: v.object({ ...equipmentFilterSchema.entries, ...fuelRangeEntries }),
  beforeLoad: ({ context }) => {
    // An app on the home screen of a crew's phone opens here. Only a phone that was signed in has
    // stored the app for this address; the phones of visitors have the landing page.
    const isGuest = audienceOf(context.user) === "guest";
    if (isGuest && !navigator.onLine && context.isFirstPage()) {
      throw redirect({ to: "/employee-login", replace: true });
    }
  },
  loaderDeps: ({ search: { status, type, stale, operational, due, search, sort, desc } }) => ({
    status,
    type,
    stale,
    operational,
    due,
    search,
    sort,
    desc,
  }),
  loader: ({ context, deps }) => {
    // Starts loading the page's code now, not after the route's code.
    switch (audienceOf(context.user)) {
      case "manager":
        prefetchHome(context, deps, context.user);
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
