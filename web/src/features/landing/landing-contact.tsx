import { useTranslation } from "react-i18next";
import { ContactForm } from "#/shared/contact/contact-form";
import { SupportAddress } from "#/shared/contact/support-address";
import { supportEmail } from "#/shared/support-email";
import { SectionTitle } from "./section-title";

const blank = { name: "", email: "", subject: "", message: "" };

/** Prepares a mail in the visitor's own program; nothing is sent to the server. */
export function LandingContact() {
  const { t } = useTranslation();
  return (
    <section id="contact" className="scroll-mt-4 border-t border-line">
      <div className="mx-auto grid max-w-(--container-page) gap-x-16 gap-y-8 px-4 py-16 lg:grid-cols-[1fr_1.25fr] lg:px-6 lg:py-24">
        <div>
          <SectionTitle>{t("landing.contact.title")}</SectionTitle>
          <p className="mt-4 max-w-[36rem] text-lg text-muted">{t("landing.contact.text")}</p>
          {supportEmail && <p className="mt-3 text-muted">{t("contact.promise")}</p>}
          <SupportAddress />
        </div>
        <div className="rounded-card border border-line bg-raised p-5 md:p-6">
          <ContactForm firstValues={blank} />
        </div>
      </div>
    </section>
  );
}
