import { createFileRoute, notFound, Outlet } from "@tanstack/react-router";
import { audienceOf } from "#/domain/permissions";

/** Pages of owners and managers; to everyone else these paths are unknown. */
export const Route = createFileRoute("/_manager")({
  beforeLoad: ({ context }) => {
    if (audienceOf(context.user) !== "manager") throw notFound();
  },
  component: Outlet,
});
