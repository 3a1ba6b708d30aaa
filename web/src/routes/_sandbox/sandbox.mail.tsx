import { createFileRoute } from "@tanstack/react-router";
import { MailboxPage } from "#/features/sandbox/mailbox-page";
import { key } from "#/i18n/key";

export const Route = createFileRoute("/_sandbox/sandbox/mail")({
  staticData: { title: key("sandbox.mail.title") },
  component: MailboxPage,
});
