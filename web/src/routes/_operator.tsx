import { createFileRoute, notFound, Outlet, redirect } from "@tanstack/react-router";
import { audienceOf } from "#/domain/permissions";
import { loadTexts } from "#/i18n";

/**
 * Operator paths. Without a session they redirect to the operator login, for bookmarks on phones.
 */
export const Route = createFileRoute("/_operator")({
  beforeLoad: ({ context }) => {
    switch (audienceOf(context.user)) {
      case "operator":
        return;
      case "guest":
        throw redirect({ to: "/employee-login", replace: true });
      case "manager":
      case "staff":
        throw notFound();
    }
  },
  loader: () => loadTexts("person", "operator"),
  component: Outlet,
});
