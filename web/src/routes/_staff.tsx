import { createFileRoute, notFound, Outlet } from "@tanstack/react-router";
import { audienceOf } from "#/domain/permissions";
import { loadTexts } from "#/i18n";

/** Pages of support staff; for others these paths do not exist. */
export const Route = createFileRoute("/_staff")({
  beforeLoad: ({ context }) => {
    if (audienceOf(context.user) !== "staff") throw notFound();
  },
  loader: () => loadTexts("visitor", "support"),
  component: Outlet,
});
