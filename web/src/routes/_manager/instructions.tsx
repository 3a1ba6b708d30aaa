import { createFileRoute } from "@tanstack/react-router";
import { InstructionsPage } from "#/features/instructions/instructions-page";
import { loadTexts } from "#/i18n";
import { key } from "#/i18n/key";

export const Route = createFileRoute("/_manager/instructions")({
  staticData: { title: key("shell.titles.instructions") },
  loader: () => loadTexts("guide", "operator", "profile"),
  component: InstructionsPage,
});
