import { CircleX, CreditCard, FlaskConical, Lock } from "lucide-react";
import { useTranslation } from "react-i18next";
import { useErrorText } from "#/api/error-text";
import {
  SandboxDecision,
  type GetSandboxCheckoutResponse,
} from "#/api/gen/hourmeter/billing/v1/billing_pb";
import { useSession } from "#/session/session";
import { useFormat } from "#/shared/format/use-format";
import { Button } from "#/shared/ui/button";
import { Notice } from "#/shared/ui/notice";
import type { Decide } from "./use-decide";

const { SUCCEED, DECLINE, CANCEL } = SandboxDecision;

/** Chooses the outcome instead of asking for a card. */
export function PaymentPanel({
  checkout,
  decide: { decide, running, error },
}: {
  checkout: GetSandboxCheckoutResponse;
  decide: Decide;
}) {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const amount = useFormat().cost(checkout.dueCents);
  const buttonProps = (decision: SandboxDecision) => ({
    wide: true,
    pending: running === decision,
    disabledReason:
      running === null || running === decision ? undefined : t("sandbox.checkout.wait"),
    onClick: () => decide(decision),
  });
  return (
    <>
      <h2 className="text-lg font-semibold">{t("sandbox.checkout.payment")}</h2>
      <Contact />
      <div className="mt-3 flex gap-3 rounded-card border border-dashed border-control-line p-4">
        <FlaskConical aria-hidden className="mt-0.5 size-5 shrink-0 text-accent" />
        <div>
          <p className="font-semibold">{t("sandbox.checkout.test")}</p>
          <p className="mt-0.5 text-sm text-muted">{t("sandbox.checkout.testText")}</p>
        </div>
      </div>
      {checkout.declined && running === null && (
        <div
          role="alert"
          className="mt-3 flex gap-3 rounded-card border border-danger p-4 text-danger"
        >
          <CircleX aria-hidden className="mt-0.5 size-5 shrink-0" />
          <div>
            <p className="font-semibold">{t("sandbox.checkout.declined")}</p>
            <p className="mt-0.5 text-sm">{t("sandbox.checkout.declinedText")}</p>
          </div>
        </div>
      )}
      {error && running === null && (
        <div className="mt-3">
          <Notice tone="danger">{errorText(error, "sandbox.checkout.failed")}</Notice>
        </div>
      )}
      <div className="mt-6 space-y-3">
        <Button
          variant="primary"
          size="large"
          pendingLabel={t("sandbox.checkout.paying")}
          {...buttonProps(SUCCEED)}
        >
          <Lock aria-hidden className="size-4" />
          {checkout.firstChargeAt
            ? t("sandbox.checkout.start")
            : t("sandbox.checkout.pay", { amount })}
        </Button>
        <Button pendingLabel={t("sandbox.checkout.declining")} {...buttonProps(DECLINE)}>
          {t("sandbox.checkout.decline")}
        </Button>
        <Button
          variant="quiet"
          pendingLabel={t("sandbox.checkout.leaving")}
          {...buttonProps(CANCEL)}
        >
          {t("sandbox.checkout.back")}
        </Button>
      </div>
      <p className="mt-4 text-center text-sm text-muted">{t("sandbox.checkout.cancelAnytime")}</p>
    </>
  );
}

function Contact() {
  const { t } = useTranslation();
  const email = useSession()?.email;
  return (
    <dl className="mt-4 divide-y divide-line rounded-card border border-line">
      {email && (
        <div className="flex flex-wrap items-baseline justify-between gap-x-6 gap-y-0.5 px-4 py-3">
          <dt className="text-muted">{t("sandbox.checkout.email")}</dt>
          <dd className="wrap-anywhere">{email}</dd>
        </div>
      )}
      <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-0.5 px-4 py-3">
        <dt className="text-muted">{t("sandbox.checkout.method")}</dt>
        <dd className="flex items-center gap-2">
          <CreditCard aria-hidden className="size-4 text-muted" />
          {t("sandbox.checkout.testCard")}
        </dd>
      </div>
    </dl>
  );
}
