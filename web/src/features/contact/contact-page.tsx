import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { useSession } from "#/session/session";
import { personName } from "#/domain/person";
import { ContactForm } from "#/shared/contact/contact-form";
import type { ContactValues } from "#/shared/contact/contact-schema";
import { SupportAddress } from "#/shared/contact/support-address";
import { supportEmail } from "#/shared/support-email";
import { Card } from "#/shared/ui/card";
import { PageHeader } from "#/shared/ui/page-header";

/** A form that prepares an email; nothing is sent to the server. */
export function ContactPage() {
  const { t } = useTranslation();
  const firstValues = useFirstValues();
  const company = useSession()?.businessName;
  return (
    <div className="mx-auto max-w-2xl">
      <PageHeader
        title={t("shell.titles.contact")}
        description={supportEmail ? t("contact.promise") : undefined}
      />
      {supportEmail && (
        <Card>
          <ContactForm firstValues={firstValues} company={company} />
        </Card>
      )}
      <SupportAddress />
      <p className="mt-2 text-muted">
        {t("contact.guide")}{" "}
        <Link
          to="/instructions"
          className="font-semibold text-accent underline underline-offset-3 hover:text-accent-hover"
        >
          {t("shell.titles.instructions")}
        </Link>
      </p>
    </div>
  );
}

/** Initial values from the session. */
function useFirstValues(): ContactValues {
  const user = useSession();
  return { name: user ? personName(user) : "", email: user?.email ?? "", subject: "", message: "" };
}
