import { createFileRoute } from "@tanstack/react-router";
import { ContactPage } from "#/features/contact/contact-page";
import { key } from "#/i18n/key";

export const Route = createFileRoute("/_manager/contact")({
  staticData: { title: key("shell.titles.contact") },
  component: ContactPage,
});
