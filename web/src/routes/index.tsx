import { createFileRoute } from "@tanstack/react-router";
import * as v from "valibot";
import { Home } from "#/app/home";
import { equipmentFilterSchema } from "#/domain/equipment-filter";
import { fuelRangeEntries } from "#/features/fuel/range";
import { lazyWithTexts } from "#/i18n/lazy-with-texts";

const ManagerHome = lazyWithTexts(["home", "person"], () =>
  import("./-manager-home").then((module) => module.ManagerHome),
);

export const Route = createFileRoute("/")({
  validateSearch: v.object({ ...equipmentFilterSchema.entries, ...fuelRangeEntries }),
  component: () => <Home manager={<ManagerHome />} />,
});
