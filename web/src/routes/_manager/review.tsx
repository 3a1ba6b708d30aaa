import { createFileRoute } from "@tanstack/react-router";
import { ReviewPage } from "#/features/updates/review/review-page";
import { reviewSearchSchema } from "#/features/updates/review/search";
import { key } from "#/i18n/key";
import { prefetch } from "../-prefetch";

export const Route = createFileRoute("/_manager/review")({
  validateSearch: reviewSearchSchema,
  staticData: { title: key("shell.titles.review") },
  loader: ({ context }) => prefetch(context, (pages) => pages.review()),
  component: ReviewRoute,
});

function ReviewRoute() {
  const search = Route.useSearch();
  const navigate = Route.useNavigate();
  return (
    <ReviewPage
      search={search}
      onSearch={(next) => void navigate({ search: next, replace: true, resetScroll: false })}
    />
  );
}
