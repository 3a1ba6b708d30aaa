import { useTranslation } from "react-i18next";
import { SupportAddress } from "#/shared/contact/support-address";
import { FieldFrame, FieldNotes, inputClass } from "#/shared/form/field-frame";
import { supportEmail } from "#/shared/support-email";
import { buttonClass } from "#/shared/ui/button-class";
import { Notice } from "#/shared/ui/notice";
import { SectionTitle } from "./section-title";

/** Prepares an email in the visitor's email app; nothing is sent to the server. */
export function LandingContact() {
  const { t } = useTranslation();
  return (
    <section id="contact" className="scroll-mt-4 border-t border-line">
      <div className="mx-auto grid max-w-(--container-page) gap-x-16 gap-y-8 px-4 py-16 lg:grid-cols-[1fr_1.25fr] lg:px-6 lg:py-24">
        <div>
          <SectionTitle>{t("landing.contact.title")}</SectionTitle>
          <p className="mt-4 max-w-[36rem] text-lg text-muted">{t("landing.contact.text")}</p>
          {supportEmail && <p className="mt-3 text-muted">{t("contact.promise")}</p>}
          {supportEmail && <SupportAddress />}
        </div>
        <div className="rounded-card border border-line bg-raised p-5 md:p-6">
          <Form />
        </div>
      </div>
    </section>
  );
}

function Form() {
  const { t } = useTranslation();
  return (
    <form
      noValidate
      data-contact
      data-required={t("contact.required")}
      data-email-invalid={t("contact.emailInvalid")}
      data-missing={t("contact.missing")}
      data-missing-text={t("contact.missingText")}
      className="space-y-4"
    >
      <template data-name="field-error">
        <FieldNotes id="{{id}}" error="{{error}}" />
      </template>
      <template data-name="handed-over">
        <div role="status">
          <Notice>{t("contact.handedOver")}</Notice>
        </div>
      </template>
      <template data-name="missing">
        <Notice tone="danger">{t("contact.missingText")}</Notice>
      </template>
      <div className="grid gap-4 md:grid-cols-2">
        <Field name="name" label={t("contact.name")} autoComplete="name" maxLength={200} />
        <Field
          name="email"
          type="email"
          label={t("contact.email")}
          autoComplete="email"
          maxLength={254}
        />
      </div>
      <Field name="subject" label={t("contact.subject")} maxLength={200} />
      <FieldFrame id={fieldId("message")} label={t("contact.message")} error={undefined}>
        <textarea
          id={fieldId("message")}
          name="message"
          rows={8}
          // Some email apps truncate longer URLs.
          maxLength={1500}
          className={`${inputClass} py-2`}
        />
      </FieldFrame>
      <div data-contact-status className="space-y-4 empty:hidden" />
      <div className="flex flex-col-reverse gap-2 pt-1 md:flex-row md:justify-end">
        <button type="submit" className={buttonClass({ variant: "primary" })}>
          {t("contact.submit")}
        </button>
      </div>
    </form>
  );
}

function Field({
  name,
  type = "text",
  label,
  autoComplete = "off",
  maxLength,
}: {
  name: "name" | "email" | "subject";
  type?: "text" | "email";
  label: string;
  autoComplete?: "off" | "name" | "email";
  maxLength: number;
}) {
  return (
    <FieldFrame id={fieldId(name)} label={label} error={undefined}>
      <input
        id={fieldId(name)}
        name={name}
        type={type}
        autoComplete={autoComplete}
        maxLength={maxLength}
        className={inputClass}
      />
    </FieldFrame>
  );
}

const fieldId = (name: string) => `contact-${name}`;
