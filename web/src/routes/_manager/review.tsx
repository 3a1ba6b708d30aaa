import { createFileRoute } from "@tanstack/react-router";
import { ReviewPage } from "#/features/updates/review/review-page";
import { key } from "#/i18n/key";

export const Route = createFileRoute("/_manager/review")({
  staticData: { title: key("shell.titles.review") },
  component: ReviewPage,
});
