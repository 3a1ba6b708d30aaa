import { createFileRoute } from "@tanstack/react-router";
import { lazy } from "react";
import * as v from "valibot";
import { Home } from "#/app/home";
import { equipmentFilterSchema } from "#/domain/equipment-filter";
import { fuelRangeEntries } from "#/features/fuel/range";

const ManagerHome = lazy(() =>
  import("./-manager-home").then((module) => ({ default: module.ManagerHome })),
);

export const Route = createFileRoute("/")({
  validateSearch: v.object({ ...equipmentFilterSchema.entries, ...fuelRangeEntries }),
  component: () => <Home manager={<ManagerHome />} />,
});
