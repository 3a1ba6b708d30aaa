import { createFileRoute } from "@tanstack/react-router";
import { GrpcWeb } from "#/api/grpc-web";
import { audienceOf } from "#/domain/permissions";
import { NotificationsPage } from "#/features/notifications/notifications-page";
import { notificationsSearchSchema } from "#/features/notifications/search";
import { loadTexts } from "#/i18n";
import { key } from "#/i18n/key";
import { prefetch } from "../-prefetch";

export const Route = createFileRoute("/_person/notifications")({
  validateSearch: notificationsSearchSchema,
  staticData: { title: key("shell.titles.notifications") },
  loaderDeps: ({ search }) => search,
  loader: ({ context, deps }) => {
    // Operators do not load the queries of other pages.
    if (audienceOf(context.user) === "manager") {
      prefetch(context, (pages) => pages.notifications(deps));
    }
    return loadTexts("notifications");
  },
  component: NotificationsRoute,
});

function NotificationsRoute() {
  const search = Route.useSearch();
  const navigate = Route.useNavigate();
  return (
    <GrpcWeb>
      <NotificationsPage
        search={search}
        onSearch={(next) => void navigate({ search: next, replace: true, resetScroll: false })}
      />
    </GrpcWeb>
  );
}
