import { createFileRoute } from "@tanstack/react-router";
import { ProfilePage } from "#/features/profile/profile-page";
import { key } from "#/i18n/key";

export const Route = createFileRoute("/_person/profile")({
  staticData: { title: key("shell.titles.profile") },
  component: ProfilePage,
});
