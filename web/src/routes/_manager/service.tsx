import { createFileRoute } from "@tanstack/react-router";
import { OutlookPage } from "#/features/equipment/outlook/outlook-page";
import { outlookSearchSchema } from "#/features/equipment/outlook/search";
import { key } from "#/i18n/key";
import { prefetch } from "../-prefetch";

export const Route = createFileRoute("/_manager/service")({
  validateSearch: outlookSearchSchema,
  staticData: { title: key("shell.titles.service") },
  loader: ({ context }) => prefetch(context, (pages) => pages.service()),
  component: ServiceRoute,
});

function ServiceRoute() {
  const search = Route.useSearch();
  const navigate = Route.useNavigate();
  return (
    <OutlookPage
      search={search}
      onSearch={(next) => void navigate({ search: next, replace: true, resetScroll: false })}
    />
  );
}
