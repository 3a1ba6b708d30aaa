import { timestampDate } from "@bufbuild/protobuf/wkt";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import {
  BillingInterval,
  type GetSandboxCheckoutResponse,
} from "#/api/gen/hourmeter/billing/v1/billing_pb";
import { planCatalogueQuery } from "#/api/plans";
import { useSession } from "#/session/session";
import { usePlanText } from "#/shared/words/plan-text";
import { tierWord } from "#/domain/subscription-words";
import { useFormat } from "#/shared/format/use-format";

export function CheckoutSummary({ checkout }: { checkout: GetSandboxCheckoutResponse }) {
  const { t } = useTranslation();
  const format = useFormat();
  const plan = usePlanText();
  const company = useSession()?.businessName;
  const tier = tierWord(checkout.tier);
  const yearly = checkout.interval === BillingInterval.YEAR;
  const offer = useQuery(planCatalogueQuery).data?.plans.find((each) => each.tier === tier);
  const price = offer && (yearly ? offer.yearlyCents * 12 : offer.monthlyCents);
  // In a trial, what is due today is not the price.
  const known = price ?? (checkout.firstChargeAt ? undefined : checkout.dueCents);
  const amount = known === undefined ? "…" : format.cost(known);
  return (
    <>
      <h1 tabIndex={-1} className="text-lg text-muted">
        {t("sandbox.checkout.subscribe", { plan: plan.name(tier) })}
      </h1>
      <p className="mt-1 flex flex-wrap items-baseline gap-x-2">
        <span className="font-figures text-[2.5rem] leading-none font-[650] tracking-[-0.02em]">
          {amount}
        </span>
        <span className="text-muted">
          {yearly ? t("sandbox.checkout.perYear") : t("sandbox.checkout.perMonth")}
        </span>
      </p>
      {yearly && offer && (
        <p className="mt-2 text-sm text-muted">
          {t("sandbox.checkout.monthShare", { price: format.cost(offer.yearlyCents) })}
        </p>
      )}
      <div className="mt-6 border-t border-line pt-5 lg:mt-10">
        <div className="flex items-baseline justify-between gap-4">
          <p className="font-semibold">{plan.name(tier)}</p>
          <p className="shrink-0 font-semibold">{amount}</p>
        </div>
        <p className="mt-0.5 text-sm text-muted">
          {offer && offer.equipmentLimit > 0 && (
            <>
              {t("plans.upTo", { count: offer.equipmentLimit })}
              <br />
            </>
          )}
          {yearly ? t("sandbox.checkout.billedYearly") : t("sandbox.checkout.billedMonthly")}
        </p>
      </div>
      <dl className="mt-5 space-y-3 border-t border-line pt-5">
        {company && (
          <div className="flex flex-wrap items-baseline justify-between gap-x-4 text-sm">
            <dt className="text-muted">{t("sandbox.checkout.company")}</dt>
            <dd className="wrap-anywhere">{company}</dd>
          </div>
        )}
        <div className="flex items-baseline justify-between gap-4 text-md font-semibold">
          <dt>{t("sandbox.checkout.due")}</dt>
          <dd className="shrink-0">{format.cost(checkout.dueCents)}</dd>
        </div>
        {checkout.firstChargeAt && (
          <div className="flex items-baseline justify-between gap-4">
            <dt>
              {t("sandbox.checkout.firstCharge", {
                date: format.instantDay(timestampDate(checkout.firstChargeAt)),
              })}
            </dt>
            <dd className="shrink-0">{amount}</dd>
          </div>
        )}
      </dl>
    </>
  );
}
