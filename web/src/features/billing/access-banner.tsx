import { useTransport } from "@connectrpc/connect-query";
import { useQuery } from "@tanstack/react-query";
import { Suspense } from "react";
import type { Subscription } from "#/api/gen/hourmeter/billing/v1/billing_pb";
import { subscriptionQuery } from "#/api/subscription";
import { statusWord } from "#/domain/subscription-words";
import { lazyWithTexts } from "#/i18n/lazy-with-texts";
import type { AccessMessageKind } from "./access-message-kind";

/** The number of last trial days on which every page shows the banner. */
const lastDays = 7;

const AccessMessage = lazyWithTexts(["office"], () =>
  import("./access-message").then((module) => module.AccessMessage),
);

/**
 * Warns on every page that access has ended or will end soon. Hidden while the subscription can't
 * be loaded.
 */
export function AccessBanner() {
  const { data } = useQuery(subscriptionQuery(useTransport()));
  const subscription = data?.subscription;
  const kind = subscription && kindOf(subscription);
  return (
    <div role="status" className="no-print">
      {kind && (
        <Suspense>
          <AccessMessage kind={kind} subscription={subscription} />
        </Suspense>
      )}
    </div>
  );
}

function kindOf({
  entitlements,
  graceEnd,
  trialDaysLeft,
}: Subscription): AccessMessageKind | undefined {
  if (!entitlements) return undefined;
  if (!entitlements.active) return "off";
  if (graceEnd) return "failed";
  const isTrial = statusWord(entitlements.status) === "trial";
  return isTrial && trialDaysLeft <= lastDays ? "trial" : undefined;
}
