import { createFileRoute } from "@tanstack/react-router";
import { lazy } from "react";
import { Home } from "#/app/home";
import { equipmentFilterSchema } from "#/domain/equipment-filter";

const ManagerHome = lazy(() =>
  import("./-manager-home").then((module) => ({ default: module.ManagerHome })),
);

export const Route = createFileRoute("/")({
  validateSearch: equipmentFilterSchema,
  component: () => <Home manager={<ManagerHome />} />,
});
