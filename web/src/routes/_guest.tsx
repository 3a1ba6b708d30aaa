import { createFileRoute, notFound, Outlet, redirect } from "@tanstack/react-router";
import { audienceOf } from "#/domain/permissions";
import { loadTexts } from "#/i18n";

/** Pages for visitors; signed-in users are redirected to their home page. */
export const Route = createFileRoute("/_guest")({
  beforeLoad: ({ context }) => {
    switch (audienceOf(context.user)) {
      case "guest":
        return;
      case "operator":
        throw notFound();
      case "manager":
      case "staff":
        throw redirect({ to: "/", replace: true });
    }
  },
  loader: () => loadTexts("visitor"),
  component: Outlet,
});
