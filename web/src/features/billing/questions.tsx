import { useQuery } from "@tanstack/react-query";
import { ChevronDown } from "lucide-react";
import { useTranslation } from "react-i18next";
import { planCatalogueQuery } from "#/api/plans";
import { useTrialLength } from "#/shared/words/trial";
import { useFormat } from "#/shared/format/use-format";

export function Questions() {
  const { t } = useTranslation();
  const format = useFormat();
  const catalogue = useQuery(planCatalogueQuery).data;
  const trial = useTrialLength(catalogue?.trialDays) ?? "";
  const percent = catalogue ? format.percent(catalogue.yearlyDiscountPercent) : "";
  const all = [
    [t("subscription.faq.card"), t("subscription.faq.cardText", { trial })],
    [t("subscription.faq.end"), t("subscription.faq.endText")],
    [t("subscription.faq.over"), t("subscription.faq.overText")],
    [t("subscription.faq.premium"), t("subscription.faq.premiumText")],
    [t("subscription.faq.change"), t("subscription.faq.changeText")],
    [t("subscription.faq.yearly"), t("subscription.faq.yearlyText", { percent })],
    [t("subscription.faq.pause"), t("subscription.faq.pauseText")],
    [t("subscription.faq.cancel"), t("subscription.faq.cancelText")],
    [t("subscription.faq.failed"), t("subscription.faq.failedText")],
    [t("subscription.faq.export"), t("subscription.faq.exportText")],
  ] as const;
  // Answers with figures need the catalogue.
  if (!catalogue) return null;
  return (
    <section aria-labelledby="questions">
      <h2 id="questions" className="text-lg font-semibold">
        {t("subscription.faq.title")}
      </h2>
      <div className="mt-4 rounded-card border border-line bg-raised">
        {all.map(([question, answer]) => (
          <details key={question} className="group border-line not-first:border-t">
            <summary className="flex min-h-12 cursor-pointer list-none items-center justify-between gap-4 px-4 py-3 font-semibold md:px-5 [&::-webkit-details-marker]:hidden">
              {question}
              <ChevronDown
                aria-hidden
                className="size-5 shrink-0 text-muted transition-transform group-open:rotate-180"
              />
            </summary>
            <p className="max-w-prose px-4 pb-4 text-muted md:px-5">{answer}</p>
          </details>
        ))}
      </div>
    </section>
  );
}
