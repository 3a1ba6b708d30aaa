import { createFileRoute } from "@tanstack/react-router";
import { PortalPage } from "#/features/sandbox/portal-page";
import { key } from "#/i18n/key";

export const Route = createFileRoute("/_sandbox/sandbox/portal")({
  staticData: { title: key("sandbox.portal.title") },
  component: PortalPage,
});
