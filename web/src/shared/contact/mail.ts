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
export function openMail(mail: Mail): void {
  const link = document.createElement("a");
  link.href = mailtoUrl(mail);
  link.click();
}
