import { createFileRoute } from "@tanstack/react-router";
import { GrpcWeb } from "#/api/grpc-web";
import { audienceOf } from "#/domain/permissions";
import { ProfilePage } from "#/features/profile/profile-page";
import { key } from "#/i18n/key";
import { prefetch } from "../-prefetch";

export const Route = createFileRoute("/_person/profile")({
  staticData: { title: key("shell.titles.profile") },
  loader: ({ context }) => {
    if (audienceOf(context.user) === "manager") prefetch(context, (pages) => pages.profile());
  },
  component: () => (
    <GrpcWeb>
      <ProfilePage />
    </GrpcWeb>
  ),
});
