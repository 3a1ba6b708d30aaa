import { Check, Minus } from "lucide-react";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { Plan } from "#/api/plans";
import { includesPremium, type Tier } from "#/domain/plan";
import { usePlanText } from "#/shared/words/plan-text";
import { useFormat } from "#/shared/format/use-format";
import { Badge } from "#/shared/ui/badge";

/** Compares the plans line by line; on a phone each line's name is above its three cells. */
export function PlanComparison({ plans, own }: { plans: readonly Plan[]; own: Tier | null }) {
  const { t } = useTranslation();
  const format = useFormat();
  const text = usePlanText();
  const features = plans[0]?.features ?? [];
  return (
    <section aria-labelledby="compare" className="pt-4">
      <h3 id="compare" className="mb-3 font-semibold">
        {t("subscription.compare.title")}
      </h3>
      <div className="overflow-hidden rounded-card border border-line bg-raised">
        <table
          aria-labelledby="compare"
          className="w-full table-fixed border-collapse max-md:block"
        >
          <colgroup>
            <col className="w-[40%]" />
            {plans.map((plan) => (
              <col key={plan.tier} />
            ))}
          </colgroup>
          <thead className="max-md:block">
            <tr className="bg-sunken text-sm text-muted max-md:grid max-md:grid-cols-3">
              <th scope="col" className="max-md:absolute">
                <span className="sr-only">{t("subscription.compare.what")}</span>
              </th>
              {plans.map((plan) => (
                <th
                  key={plan.tier}
                  scope="col"
                  className={`px-1 py-2.5 text-center md:px-4 ${plan.tier === own ? "text-accent" : ""}`}
                >
                  {text.name(plan.tier)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody className="max-md:block">
            <Row label={t("subscription.compare.monthly")}>
              {plans.map((plan) => (
                <Cell key={plan.tier}>{format.money(plan.monthlyCents)}</Cell>
              ))}
            </Row>
            <Row label={t("subscription.compare.yearly")}>
              {plans.map((plan) => (
                <Cell key={plan.tier}>{format.money(plan.yearlyCents * 12)}</Cell>
              ))}
            </Row>
            <Row label={t("subscription.compare.equipment")}>
              {plans.map((plan) => (
                <Cell key={plan.tier}>
                  {plan.equipmentLimit < 0
                    ? t("subscription.compare.unlimited")
                    : format.number(plan.equipmentLimit)}
                </Cell>
              ))}
            </Row>
            <Row label={t("subscription.compare.people")}>
              {plans.map((plan) => (
                <Cell key={plan.tier}>
                  <Included yes />
                </Cell>
              ))}
            </Row>
            {features.map((feature) => {
              const label = text.feature(feature.key);
              if (!label) return null;
              return (
                <Row
                  key={feature.key}
                  label={
                    <span className="flex flex-wrap items-center gap-x-2 gap-y-1">
                      {label}
                      {feature.premium && <Badge tone="accent">{t("plans.premium")}</Badge>}
                    </span>
                  }
                >
                  {plans.map((plan) => (
                    <Cell key={plan.tier}>
                      <Included yes={!feature.premium || includesPremium(plan.tier)} />
                    </Cell>
                  ))}
                </Row>
              );
            })}
          </tbody>
        </table>
      </div>
    </section>
  );
}

function Row({ label, children }: { label: ReactNode; children: ReactNode }) {
  return (
    <tr className="border-t border-line max-md:grid max-md:grid-cols-3">
      <th
        scope="row"
        className="px-4 py-2.5 text-left font-normal max-md:col-span-3 max-md:pb-0 md:px-5"
      >
        {label}
      </th>
      {children}
    </tr>
  );
}

function Cell({ children }: { children: ReactNode }) {
  return <td className="px-1 py-2.5 text-center md:px-4">{children}</td>;
}

function Included({ yes }: { yes: boolean }) {
  const { t } = useTranslation();
  const Icon = yes ? Check : Minus;
  return (
    <>
      <Icon aria-hidden className={`inline-block size-4.5 ${yes ? "text-accent" : "text-muted"}`} />
      <span className="sr-only">{yes ? t("plans.included") : t("plans.notIncluded")}</span>
    </>
  );
}
