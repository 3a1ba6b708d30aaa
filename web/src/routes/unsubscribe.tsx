import { createFileRoute } from "@tanstack/react-router";
import { UnsubscribePage } from "#/features/auth/unsubscribe-page";
import { loadTexts } from "#/i18n";
import { key } from "#/i18n/key";

/** For everyone: the mail may be read where its person is not signed in. */
export const Route = createFileRoute("/unsubscribe")({
  staticData: { title: key("digest.stop.title"), bare: true },
  loader: () => loadTexts("visitor", "security"),
  component: UnsubscribePage,
});
