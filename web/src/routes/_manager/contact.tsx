import { createFileRoute } from "@tanstack/react-router";
import * as v from "valibot";
import { ContactPage } from "#/features/contact/contact-page";
import { key } from "#/i18n/key";

export const Route = createFileRoute("/_manager/contact")({
  // From the plans: which one is asked for.
  validateSearch: v.object({
    plan: v.fallback(v.optional(v.picklist(["basic", "professional", "enterprise"])), undefined),
    interval: v.fallback(v.optional(v.picklist(["month", "year"])), undefined),
  }),
  staticData: { title: key("shell.titles.contact") },
  component: ContactRoute,
});

function ContactRoute() {
  const { plan, interval = "month" } = Route.useSearch();
  return (
    <ContactPage
      key={`${plan}-${interval}`}
      wanted={plan === undefined ? null : { plan, interval }}
    />
  );
}
