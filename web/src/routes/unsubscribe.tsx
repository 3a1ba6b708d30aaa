import { createFileRoute } from "@tanstack/react-router";
import * as v from "valibot";
import { UnsubscribePage } from "#/features/auth/unsubscribe-page";
import { loadTexts } from "#/i18n";
import { key } from "#/i18n/key";

const searchSchema = v.object({
  /** What the mail was about; without it, the digest. */
  mail: v.fallback(v.optional(v.literal("flagged")), undefined),
});

/** For everyone: the mail may be read where its person is not signed in. */
export const Route = createFileRoute("/unsubscribe")({
  validateSearch: searchSchema,
  staticData: { title: key("digest.stop.title"), bare: true },
  loader: () => loadTexts("visitor", "security"),
  component: UnsubscribeRoute,
});

function UnsubscribeRoute() {
  return <UnsubscribePage mail={Route.useSearch().mail} />;
}
