import { clsx } from "clsx";
import { Check, Minus } from "lucide-react";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { Plan } from "#/api/plans";
import { includesPremium, wholeDollars } from "#/domain/plan";
import { usePlanText } from "#/shared/words/plan-text";
import { useFormat } from "#/shared/format/use-format";
import { Badge } from "#/shared/ui/badge";

export type BillingInterval = "month" | "year";

/** One plan of the catalogue: price, limit, what is in it, and what can be done about it. */
export function PlanCard({
  plan,
  interval,
  mark,
  action,
  own = false,
  brief = false,
}: {
  plan: Plan;
  interval: BillingInterval;
  /** Stands beside the name, e.g. "Your plan". */
  mark?: ReactNode;
  action?: ReactNode;
  /** Stands out as the reader's own. */
  own?: boolean | undefined;
  /** Without what is in it, where a table beside tells that. */
  brief?: boolean | undefined;
}) {
  const { t } = useTranslation();
  const format = useFormat();
  const text = usePlanText();
  const yearly = interval === "year";
  const price = yearly ? plan.yearlyCents : plan.monthlyCents;
  const saved = (plan.monthlyCents - plan.yearlyCents) * 12;
  const listPrice = yearly ? plan.listYearlyCents : plan.listMonthlyCents;
  return (
    <li
      className={clsx(
        "flex flex-col rounded-card border bg-raised",
        brief ? "p-5" : "p-6",
        own ? "border-accent ring-1 ring-accent" : "border-line",
      )}
    >
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <h3 className="text-lg font-semibold">{text.name(plan.tier)}</h3>
        {mark}
      </div>
      <p className="mt-1 text-muted lg:min-h-[2lh]">{text.description(plan.tier)}</p>
      <p className="mt-5 flex flex-wrap items-baseline gap-x-2">
        {listPrice > price && (
          <s className="text-lg text-muted">
            <span className="sr-only">
              {t("plans.listPrice", { price: format.money(listPrice) })}
            </span>
            <span aria-hidden>{format.money(listPrice)}</span>
          </s>
        )}
        <span className="text-[2.5rem] leading-none font-[650] tracking-[-0.02em]">
          {format.money(yearly ? wholeDollars(price) : price)}
        </span>
        <span className="text-muted">{t("plans.perMonth")}</span>
      </p>
      <p className="mt-2 text-sm text-muted">
        {yearly
          ? t("plans.billedYearly", { price: format.money(plan.yearlyCents * 12) })
          : t("plans.billedMonthly")}
        {yearly && saved > 0 && (
          <span className="block">{t("plans.yearlySaves", { price: format.money(saved) })}</span>
        )}
      </p>
      <p className="mt-5 border-t border-line pt-4 font-semibold">
        {plan.equipmentLimit < 0
          ? t("plans.unlimited")
          : t("plans.upTo", { count: plan.equipmentLimit })}
      </p>
      {!brief && <FeatureList plan={plan} />}
      {action != null && <div className={clsx("mt-auto", brief && "pt-5")}>{action}</div>}
    </li>
  );
}

function FeatureList({ plan }: { plan: Plan }) {
  const { t } = useTranslation();
  const text = usePlanText();
  return (
    <ul className="mt-3 mb-6 space-y-2">
      {plan.features.map((feature) => {
        const label = text.feature(feature.key);
        if (!label) return null;
        const included = !feature.premium || includesPremium(plan.tier);
        const Icon = included ? Check : Minus;
        return (
          <li key={feature.key} className={`flex gap-2.5 ${included ? "" : "text-muted"}`}>
            <Icon aria-hidden className="mt-1 size-4 shrink-0 text-accent" />
            <span className="sr-only">
              {included ? t("plans.included") : t("plans.notIncluded")}
            </span>
            <span className="flex flex-wrap items-center gap-x-2 gap-y-1">
              {label}
              {feature.premium && (
                <Badge tone={included ? "accent" : "neutral"}>{t("plans.premium")}</Badge>
              )}
            </span>
          </li>
        );
      })}
    </ul>
  );
}
