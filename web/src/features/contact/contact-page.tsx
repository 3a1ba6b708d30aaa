import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { useSession } from "#/api/session";
import { personName } from "#/domain/person";
import type { Tier } from "#/domain/plan";
import { usePlanText } from "#/domain/plan-text";
import { ContactForm } from "#/shared/contact/contact-form";
import type { ContactValues } from "#/shared/contact/contact-schema";
import type { BillingInterval } from "#/shared/plans/plan-card";
import { SupportAddress } from "#/shared/contact/support-address";
import { supportEmail } from "#/shared/support-email";
import { Card } from "#/shared/ui/card";
import { PageHeader } from "#/shared/ui/page-header";

export interface WantedPlan {
  plan: Tier;
  interval: BillingInterval;
}

/** A form that prepares a mail; nothing is sent by us. A wanted plan writes the message already. */
export function ContactPage({ wanted }: { wanted: WantedPlan | null }) {
  const { t } = useTranslation();
  const firstValues = useFirstValues(wanted);
  const company = useSession()?.businessName;
  return (
    <div className="mx-auto max-w-2xl">
      <PageHeader
        title={t("shell.titles.contact")}
        description={supportEmail ? t("contact.promise") : undefined}
      />
      <Card>
        <ContactForm firstValues={firstValues} company={company} />
      </Card>
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
