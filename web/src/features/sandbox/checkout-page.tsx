import { useTransport } from "@connectrpc/connect-query";
import { useQuery } from "@tanstack/react-query";
import { CircleSlash, SearchX, TriangleAlert } from "lucide-react";
import { useTranslation } from "react-i18next";
import { useErrorText } from "#/api/error-text";
import { toFailure } from "#/api/errors";
import type { GetSandboxCheckoutResponse } from "#/api/gen/hourmeter/billing/v1/billing_pb";
import { ErrorPanel } from "#/shared/ui/error-panel";
import { CheckoutFrame } from "./checkout-frame";
import { CheckoutLoading } from "./checkout-loading";
import { CheckoutSummary } from "./checkout-summary";
import { PaymentPanel } from "./payment-panel";
import { checkoutQuery } from "./queries";
import { SandboxMessage } from "./sandbox-message";
import { useDecide } from "./use-decide";

/** The checkout page of the built-in payment provider. */
export function CheckoutPage({ session }: { session: string }) {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const query = useQuery(checkoutQuery(useTransport(), session));
  if (query.data) return <Checkout session={session} checkout={query.data} />;
  if (query.isPending) return <CheckoutLoading />;
  const { status } = toFailure(query.error);
  if (status === 404 || status === 400) {
    return (
      <SandboxMessage
        icon={<SearchX aria-hidden />}
        title={t("sandbox.checkout.unknown")}
        text={t("sandbox.checkout.unknownText")}
      />
    );
  }
  return (
    <SandboxMessage icon={<TriangleAlert aria-hidden />} title={t("sandbox.checkout.title")}>
      <ErrorPanel
        title={t("sandbox.checkout.loadFailed")}
        reason={errorText(query.error)}
        onRetry={() => void query.refetch()}
        retrying={query.isFetching}
      />
    </SandboxMessage>
  );
}

function Checkout({
  session,
  checkout,
}: {
  session: string;
  checkout: GetSandboxCheckoutResponse;
}) {
  const { t } = useTranslation();
  const decide = useDecide(session);
  // While leaving after a payment, the page does not change.
  if (!checkout.open && !decide.leaving) {
    return (
      <SandboxMessage
        icon={<CircleSlash aria-hidden />}
        title={t("sandbox.checkout.closed")}
        text={t("sandbox.checkout.closedText")}
      />
    );
  }
  return (
    <CheckoutFrame
      summary={<CheckoutSummary checkout={checkout} />}
      payment={<PaymentPanel checkout={checkout} decide={decide} />}
    />
  );
}
