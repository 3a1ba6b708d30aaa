import { createFileRoute } from "@tanstack/react-router";
import * as v from "valibot";
import { Home } from "#/app/home";
import { audienceOf } from "#/domain/permissions";
import { equipmentFilterSchema } from "#/domain/equipment-filter";
import { fuelRangeEntries } from "#/features/fuel/range";
import { lazyWithTexts } from "#/i18n/lazy-with-texts";

import { prefetch } from "./-prefetch";

const ManagerHome = lazyWithTexts(["home", "person"], () =>
  import("./-manager-home").then((module) => module.ManagerHome),
);

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
        void import("./-manager-home").catch(() => undefined);
        return;
      case "operator":
        void import("#/features/operator/operator-page").catch(() => undefined);
        return;
      case "guest":
      case "staff":
    }
  },
  component: () => <Home manager={<ManagerHome />} />,
});
