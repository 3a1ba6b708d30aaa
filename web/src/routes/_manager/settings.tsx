import { createFileRoute } from "@tanstack/react-router";
import { SettingsPage } from "#/features/settings/settings-page";
import { loadTexts } from "#/i18n";
import { key } from "#/i18n/key";
import { prefetch } from "../-prefetch";

export const Route = createFileRoute("/_manager/settings")({
  staticData: { title: key("shell.titles.settings") },
  loader: ({ context }) => {
    prefetch(context, (pages) => pages.settings());
    return loadTexts("profile");
  },
  component: SettingsPage,
});
