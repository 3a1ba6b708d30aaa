import { useQuery } from "@tanstack/react-query";
import { Check, Minus } from "lucide-react";
import { useTranslation } from "react-i18next";
import { useErrorText } from "#/api/error-text";
import { planCatalogueQuery } from "#/api/plans";
import { includesPremium, wholeDollars } from "#/domain/plan";
import { usePlanText } from "#/shared/words/plan-text";
import { useFormat } from "#/shared/format/use-format";
import { ErrorPanel } from "#/shared/ui/error-panel";
import { Skeleton } from "#/shared/ui/skeleton";
import { ScrollX } from "./scroll-x";

export function PlanTable() {
  const { t } = useTranslation();
  const format = useFormat();
  const text = usePlanText();
  const errorText = useErrorText();
  const catalogue = useQuery(planCatalogueQuery);
  if (catalogue.error && !catalogue.data) {
    return (
      <ErrorPanel
        title={t("plans.loadFailed")}
        reason={errorText(catalogue.error)}
        onRetry={() => void catalogue.refetch()}
        retrying={catalogue.isFetching}
      />
    );
  }
  if (!catalogue.data) return <Skeleton className="h-36 w-full" />;
  const cell = "px-1.5 py-2.5 text-left first:pl-3 md:px-4 md:first:pl-4";
  return (
    <ScrollX label={t("instructions.plans.title")}>
      <table
        aria-label={t("instructions.plans.title")}
        className="w-full border-collapse max-md:text-sm"
      >
        <thead>
          <tr className="bg-sunken text-xs text-muted">
            <th scope="col" className={cell}>
              {t("instructions.plans.plan")}
            </th>
            <th scope="col" className={cell}>
              {t("instructions.plans.limit")}
            </th>
            <th scope="col" className={cell}>
              {t("plans.monthly")}
            </th>
            <th scope="col" className={cell}>
              {t("plans.yearly")}
            </th>
            <th scope="col" className={cell}>
              {t("plans.premium")}
            </th>
          </tr>
        </thead>
        <tbody>
          {catalogue.data.plans.map((plan) => (
            <tr key={plan.tier} className="border-t border-line">
              <th scope="row" className={`${cell} font-semibold`}>
                {text.name(plan.tier)}
              </th>
              <td className={cell}>
                {plan.equipmentLimit < 0
                  ? t("instructions.plans.unlimited")
                  : format.number(plan.equipmentLimit)}
              </td>
              <td className={`${cell} whitespace-nowrap`}>{format.money(plan.monthlyCents)}</td>
              <td className={`${cell} whitespace-nowrap`}>
                {format.money(wholeDollars(plan.yearlyCents))}
              </td>
              <td className={cell}>
                <Included yes={includesPremium(plan.tier)} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollX>
  );
}

function Included({ yes }: { yes: boolean }) {
  const { t } = useTranslation();
  const Icon = yes ? Check : Minus;
  return (
    <>
      <Icon aria-hidden className={`size-4 ${yes ? "text-accent" : "text-muted"}`} />
      <span className="sr-only">{yes ? t("plans.included") : t("plans.notIncluded")}</span>
    </>
  );
}
