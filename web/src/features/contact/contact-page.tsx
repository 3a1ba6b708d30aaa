import { useState } from "react";
import { useTranslation } from "react-i18next";
import * as v from "valibot";
import { useSession } from "#/api/session";
import { personName } from "#/domain/person";
import type { Tier } from "#/domain/plan";
import { usePlanText } from "#/domain/plan-text";
import { key } from "#/i18n/key";
import { TextAreaField } from "#/shared/form/fields/text-area-field";
import { TextField } from "#/shared/form/fields/text-field";
import { FormPage } from "#/shared/form/form-page";
import { useAppForm } from "#/shared/form/use-app-form";
import type { BillingInterval } from "#/shared/plans/plan-card";
import { supportEmail } from "#/shared/support-email";
import { toast } from "#/shared/toast/store";
import { Card } from "#/shared/ui/card";
import { Notice } from "#/shared/ui/notice";
import { PageHeader } from "#/shared/ui/page-header";
import { openMail } from "./mail";

const filled = v.pipe(
  v.string(),
  v.check((text) => text.trim() !== "", key("contact.required")),
);

const contactSchema = v.object({
  name: filled,
  email: v.pipe(
    filled,
    v.check(
      (text) => text.trim() === "" || v.is(v.pipe(v.string(), v.email()), text.trim()),
      key("auth.signup.emailInvalid"),
    ),
  ),
  subject: filled,
  message: filled,
});

type ContactValues = v.InferOutput<typeof contactSchema>;

export interface WantedPlan {
  plan: Tier;
  interval: BillingInterval;
}

/** A form that prepares a mail; nothing is sent by us. A wanted plan writes the message already. */
export function ContactPage({ wanted }: { wanted: WantedPlan | null }) {
  const { t } = useTranslation();
  return (
    <div className="mx-auto max-w-2xl">
      <PageHeader
        title={t("shell.titles.contact")}
        description={supportEmail ? t("contact.promise") : undefined}
      />
      <Card>
        <ContactForm wanted={wanted} />
      </Card>
      <SupportAddress />
    </div>
  );
}

function SupportAddress() {
  const { t } = useTranslation();
  if (!supportEmail) {
    return (
      <div className="mt-4">
        <Notice>{t("contact.noAddress")}</Notice>
      </div>
    );
  }
  return (
    <p className="mt-4 text-muted">
      {t("contact.direct")}{" "}
      <a
        href={`mailto:${supportEmail}`}
        className="font-semibold break-all text-accent underline underline-offset-3"
      >
        {supportEmail}
      </a>
    </p>
  );
}

/** What the form begins with: who is signed in and, from the plans, what is asked for. */
function useFirstValues(wanted: WantedPlan | null): ContactValues {
  const { t } = useTranslation();
  const user = useSession();
  const planText = usePlanText();
  const plan = wanted && planText.name(wanted.plan);
  const interval =
    wanted?.interval === "year" ? t("contact.plan.yearly") : t("contact.plan.monthly");
  return {
    name: user ? personName(user) : "",
    email: user?.email ?? "",
    subject: plan ? t("contact.plan.subject", { plan }) : "",
    message: plan
      ? t("contact.plan.message", { plan, interval, company: user?.businessName ?? "" })
      : "",
  };
}

function ContactForm({ wanted }: { wanted: WantedPlan | null }) {
  const { t } = useTranslation();
  const company = useSession()?.businessName;
  const form = useAppForm(contactSchema, useFirstValues(wanted));
  const [handedOver, setHandedOver] = useState(false);
  const [missing, setMissing] = useState(false);
  const send = ({ name, email, subject, message }: ContactValues) => {
    setMissing(false);
    const signature = [name, email, company].filter(Boolean).join("\n");
    openMail({
      to: supportEmail,
      subject: subject.trim(),
      body: `${message.trim()}\n\n${signature}`,
    });
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
        // Longer addresses are cut off by some mail programs.
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
