import { useState } from "react";
import { useTranslation } from "react-i18next";
import { TextAreaField } from "#/shared/form/fields/text-area-field";
import { TextField } from "#/shared/form/fields/text-field";
import { FormPage } from "#/shared/form/form-page";
import { useAppForm } from "#/shared/form/use-app-form";
import { toast } from "#/shared/toast/store";
import { Notice } from "#/shared/ui/notice";
import { contactSchema, type ContactValues } from "./contact-schema";
import { openContactMail } from "./mail";

/** Prepares an email to the support address; nothing is sent to the server. */
export function ContactForm({
  firstValues,
  company = null,
}: {
  firstValues: ContactValues;
  company?: string | null | undefined;
}) {
  const { t } = useTranslation();
  const form = useAppForm(contactSchema, firstValues);
  const [handedOver, setHandedOver] = useState(false);
  const [missing, setMissing] = useState(false);
  const send = (values: ContactValues) => {
    setMissing(false);
    openContactMail(values, company);
    setHandedOver(true);
  };
  const refuse = () => {
    const blank = Object.values(form.getValues()).some((value) => value.trim() === "");
    setMissing(blank);
    if (blank) toast.failure(t("contact.missing"), t("contact.missingText"));
  };
  return (
    <FormPage
      onSubmit={form.handleSubmit(send, refuse)}
      loading={false}
      submitError={missing && !form.formState.isValid ? t("contact.missingText") : null}
      submitLabel={t("contact.submit")}
      pendingLabel={t("contact.submit")}
    >
      <div className="grid gap-4 md:grid-cols-2">
        <TextField
          control={form.control}
          name="name"
          label={t("contact.name")}
          autoComplete="name"
          maxLength={200}
        />
        <TextField
          control={form.control}
          name="email"
          type="email"
          label={t("contact.email")}
          autoComplete="email"
          maxLength={254}
        />
      </div>
      <TextField
        control={form.control}
        name="subject"
        label={t("contact.subject")}
        maxLength={200}
      />
      <TextAreaField
        control={form.control}
        name="message"
        label={t("contact.message")}
        rows={8}
        // Some email apps truncate longer URLs.
        maxLength={1500}
      />
      {handedOver && (
        <div role="status">
          <Notice>{t("contact.handedOver")}</Notice>
        </div>
      )}
    </FormPage>
  );
}
