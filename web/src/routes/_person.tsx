import { createFileRoute, notFound, Outlet } from "@tanstack/react-router";
import { audienceOf } from "#/domain/permissions";
import { loadTexts } from "#/i18n";

/** Pages of all users of a company, including operators; for others these paths do not exist. */
export const Route = createFileRoute("/_person")({
  beforeLoad: ({ context }) => {
    switch (audienceOf(context.user)) {
      case "manager":
      case "operator":
        return;
      case "guest":
      case "staff":
        throw notFound();
    }
  },
  loader: ({ context }) =>
    audienceOf(context.user) === "manager"
      ? loadTexts("visitor", "home", "office", "person", "operator", "profile", "security")
      : loadTexts("visitor", "person", "operator", "profile"),
  component: Outlet,
});
