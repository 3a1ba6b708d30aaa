import { createFileRoute } from "@tanstack/react-router";
import * as v from "valibot";
import { SignupPage } from "#/features/auth/signup-page";
import { key } from "#/i18n/key";
import { tiers } from "#/domain/plan";

export const Route = createFileRoute("/_guest/signup")({
  staticData: { title: key("shell.titles.signup") },
  validateSearch: v.object({
    /** Chosen on the landing page. */
    plan: v.fallback(v.optional(v.picklist(tiers)), undefined),
  }),
  component: SignupRoute,
});

function SignupRoute() {
  return <SignupPage plan={Route.useSearch().plan} />;
}
