import { useTransport } from "@connectrpc/connect-query";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { PaymentProvider } from "#/api/gen/hourmeter/billing/v1/billing_pb";
import { subscriptionQuery } from "#/api/subscription";
import { SandboxClockCard } from "./clock-card";
import { PageHeader } from "#/shared/ui/page-header";
import { ConfirmationNotice } from "./confirmation-notice";
import { CurrentPlan } from "./current-plan";
import { PlanChoice } from "./plan-choice";
import { Questions } from "./questions";
import { useReturn, type Returned } from "./use-return";
import { WhatsNew } from "./whats-new";

export function SubscriptionPage({ returned }: { returned: Returned }) {
  const { t } = useTranslation();
  const subscription = useQuery(subscriptionQuery(useTransport())).data?.subscription;
  const { confirmation, again } = useReturn(returned, subscription);
  return (
    <>
      <PageHeader title={t("shell.titles.subscription")} description={t("subscription.subtitle")} />
      <ConfirmationNotice confirmation={confirmation} again={again} />
      <div className="mt-5 space-y-12 first:mt-0">
        <CurrentPlan />
        <PlanChoice />
        <WhatsNew />
        <Questions />
        {subscription?.provider === PaymentProvider.SANDBOX && (
          <SandboxClockCard subscription={subscription} />
        )}
      </div>
    </>
  );
}
