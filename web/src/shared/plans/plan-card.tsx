import { useTranslation } from "react-i18next";
import type { ReactNode } from "react";
import type { Plan } from "#/api/plans";
import { includesPremium, wholeDollars } from "#/domain/plan";
import { usePlanText } from "#/shared/words/plan-text";
import { useFormat } from "#/shared/format/use-format";
import { ListPrice, PlanCardFrame, PlanFeature } from "./plan-card-frame";

export type BillingInterval = "month" | "year";

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
  /** Shown beside the name, e.g. "Your plan". */
  mark?: ReactNode;
  action?: ReactNode;
  /** Highlights the reader's own plan. */
  own?: boolean | undefined;
  /** Omits the features, if a table beside lists them. */
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
    <PlanCardFrame
      name={text.name(plan.tier)}
      description={text.description(plan.tier)}
      mark={mark}
      listPrice={listPrice > price && <ListPrice price={format.money(listPrice)} />}
      price={format.money(yearly ? wholeDollars(price) : price)}
      billed={
        yearly
          ? t("plans.billedYearly", { price: format.money(plan.yearlyCents * 12) })
          : t("plans.billedMonthly")
      }
      saved={
        yearly &&
        saved > 0 && (
          <span className="block">{t("plans.yearlySaves", { price: format.money(saved) })}</span>
        )
      }
      limit={
        plan.equipmentLimit < 0
          ? t("plans.unlimited")
          : t("plans.upTo", { count: plan.equipmentLimit })
      }
      action={action}
      own={own}
      brief={brief}
    >
      {plan.features.map(({ key, premium }) => {
        const label = text.feature(key);
        if (!label) return null;
        const included = !premium || includesPremium(plan.tier);
        return (
          <PlanFeature key={key} included={included} premium={premium}>
            {label}
          </PlanFeature>
        );
      })}
    </PlanCardFrame>
  );
}
