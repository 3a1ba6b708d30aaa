import { createFileRoute } from "@tanstack/react-router";
import { OperatorsPage } from "#/features/operators/operators-page";
import { key } from "#/i18n/key";

export const Route = createFileRoute("/_manager/employees")({
  staticData: { title: key("operators.title") },
  component: OperatorsPage,
});
