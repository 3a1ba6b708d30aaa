import { supportEmail } from "#/shared/support-email";
import type { ContactValues } from "./contact-schema";

export interface Mail {
  to: string | null;
  subject: string;
  body: string;
}

/** A mailto URL with encoded parts. */
export function mailtoUrl({ to, subject, body }: Mail): string {
  const recipient = to ? to.split("@").map(encodeURIComponent).join("@") : "";
  const lines = body.replaceAll(/\r\n|\r|\n/g, "\r\n");
  return `mailto:${recipient}?subject=${encodeURIComponent(subject)}&body=${encodeURIComponent(lines)}`;
}

/** Opens the email app. */
function openMail(mail: Mail): void {
  const link = document.createElement("a");
  link.href = mailtoUrl(mail);
  link.click();
}

/** Prepares an email to the support address. */
export function openContactMail(
  { name, email, subject, message }: ContactValues,
  company?: string | null,
): void {
  const signature = [name, email, company].filter(Boolean).join("\n");
  openMail({
    to: supportEmail,
    subject: subject.trim(),
    body: `${message.trim()}\n\n${signature}`,
  });
}
