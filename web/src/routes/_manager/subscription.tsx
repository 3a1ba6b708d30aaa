import { createFileRoute } from "@tanstack/react-router";
import * as v from "valibot";
import { SubscriptionPage } from "#/features/billing/subscription-page";
import { loadTexts } from "#/i18n";
import { key } from "#/i18n/key";
import { prefetch } from "../-prefetch";

/** The parameters after a checkout: ?success=true or ?canceled=true. */
const flag = v.fallback(v.optional(v.literal(true)), undefined);

export const Route = createFileRoute("/_manager/subscription")({
  validateSearch: v.object({ success: flag, canceled: flag }),
  staticData: { title: key("shell.titles.subscription") },
  loader: ({ context }) => {
    prefetch(context, (pages) => pages.subscription());
    return loadTexts("sandbox");
  },
  component: SubscriptionRoute,
});

function SubscriptionRoute() {
  const { success, canceled } = Route.useSearch();
  return <SubscriptionPage returned={success ? "success" : canceled ? "canceled" : null} />;
}
