import { createFileRoute } from "@tanstack/react-router";
import { ReviewPage } from "#/features/updates/review/review-page";
import { key } from "#/i18n/key";
import { prefetch } from "../-prefetch";

export const Route = createFileRoute("/_manager/review")({
  staticData: { title: key("shell.titles.review") },
  loader: ({ context }) => prefetch(context, (pages) => pages.review()),
  component: ReviewPage,
});
