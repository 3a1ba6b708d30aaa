import { createFileRoute } from "@tanstack/react-router";
import { Suspense } from "react";
import { GrpcWeb } from "#/api/grpc-web";
import { loadPhone } from "#/app/lazy-phone";
import { audienceOf } from "#/domain/permissions";
import { ProfilePage } from "#/features/profile/profile-page";
import { key } from "#/i18n/key";
import { lazyPart } from "#/shared/lazy-part";
import { prefetch } from "../-prefetch";

export const Route = createFileRoute("/_person/profile")({
  staticData: { title: key("shell.titles.profile") },
  loader: ({ context }) => {
    if (audienceOf(context.user) === "manager") prefetch(context, (pages) => pages.profile());
  },
  component: () => (
    <GrpcWeb>
      <ProfilePage
        pin={
          <Suspense>
            <PinCard />
          </Suspense>
        }
      />
    </GrpcWeb>
  ),
});

const PinCard = lazyPart(async () => (await loadPhone()).PinCard);
