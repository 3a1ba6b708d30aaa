import { supportEmail } from "#/shared/support-email";
import type { ContactValues } from "./contact-schema";

export interface Mail {
  to: string | null;
  subject: string;
  body: string;
}

/** A mailto address; every part is encoded, so that typed text stays text. */
export function mailtoUrl({ to, subject, body }: Mail): string {
  const recipient = to ? to.split("@").map(encodeURIComponent).join("@") : "";
  const lines = body.replaceAll(/\r\n|\r|\n/g, "\r\n");
  return `mailto:${recipient}?subject=${encodeURIComponent(subject)}&body=${encodeURIComponent(lines)}`;
}

/** Hands the mail to whatever program the reader writes mail with. */
function openMail(mail: Mail): void {
  const link = document.createElement("a");
  link.href = mailtoUrl(mail);
  link.click();
}

/** Prepares what was typed as a mail to the support address. */
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
