import { createFileRoute } from "@tanstack/react-router";
import { SubscriptionPage } from "#/features/billing/subscription-page";
import { key } from "#/i18n/key";

export const Route = createFileRoute("/_manager/subscription")({
  staticData: { title: key("shell.titles.subscription") },
  component: SubscriptionPage,
});
