import { useTranslation } from "react-i18next";
import { tiers } from "#/domain/plan";
import { featureKeys, usePlanText } from "#/shared/words/plan-text";
import { ListPrice, PlanCardFrame, PlanFeature } from "#/shared/plans/plan-card-frame";
import { ErrorPanel } from "#/shared/ui/error-panel";
import { Segmented } from "#/shared/ui/segmented";
import { Skeleton } from "#/shared/ui/skeleton";
import { LandingLink } from "./landing-link";
import { SectionTitle } from "./section-title";
import { When } from "./when";

const raw = { skipInterpolation: true } as const;

export function LandingPlans() {
  const { t } = useTranslation();
  return (
    <section id="plans" className="scroll-mt-4 border-t border-line">
      <div className="mx-auto max-w-(--container-page) px-4 py-16 lg:px-6 lg:py-24">
        <div className="mb-9 flex flex-wrap items-end justify-between gap-x-10 gap-y-5">
          <div className="max-w-[44rem]">
            <SectionTitle>{t("landing.plans.title")}</SectionTitle>
            <p data-discounts className="mt-4 min-h-[2lh] text-lg text-muted" />
            <PricePerMachine />
          </div>
          <div className="min-w-60 max-sm:w-full">
            <Segmented
              label={t("plans.interval")}
              hideLabel
              value="month"
              options={[
                { value: "month", label: t("plans.monthly") },
                { value: "year", label: t("plans.yearly") },
              ]}
            />
          </div>
        </div>
        <div data-plans>
          <div role="status" className="grid gap-4 lg:grid-cols-3">
            <span className="sr-only">{t("common.loading")}</span>
            {tiers.map((tier) => (
              <Skeleton key={tier} className="h-[30rem]" />
            ))}
          </div>
        </div>
        <p
          data-trial={t("landing.plans.trial", { skipInterpolation: true })}
          className="mt-5 text-muted"
        >
          {t("landing.plans.trialShort")}
        </p>
      </div>
      <PlanTemplates />
    </section>
  );
}

/** Filled with the catalogue. */
export function PricePerMachine() {
  const { t } = useTranslation();
  return (
    <p
      data-per-machine={t("landing.plans.perMachine", { skipInterpolation: true })}
      className="mt-1 min-h-[1lh] font-semibold"
    />
  );
}

/** A template filled with the catalogue: `{{name}}` is a value, `When` a condition. */
function PlanTemplates() {
  const { t } = useTranslation();
  const text = usePlanText();
  return (
    <>
      <template data-name="discounts">
        <strong className="font-semibold text-ink">
          {t("landing.plans.launch", { percent: "{{launch}}" })}
        </strong>{" "}
        {t("landing.plans.yearly", { percent: "{{yearly}}" })}
      </template>
      <template data-name="trial">
        {pluralForms.map(([form, count]) => (
          <When key={form} is={form}>
            <When is="weeks">{t("common.trialWeeks", { count, ...raw })}</When>
            <When is="days">{t("common.trialDays", { count, ...raw })}</When>
          </When>
        ))}
      </template>
      <template data-name="features">
        {featureKeys.map((key) => (
          <When key={key} is={key}>
            {text.feature(key)}
          </When>
        ))}
      </template>
      <template data-name="feature">
        <When is="standard">
          <PlanFeature included premium={false}>
            {"{{label}}"}
          </PlanFeature>
        </When>
        <When is="included">
          <PlanFeature included premium>
            {"{{label}}"}
          </PlanFeature>
        </When>
        <When is="missing">
          <PlanFeature included={false} premium>
            {"{{label}}"}
          </PlanFeature>
        </When>
      </template>
      <template data-name="plans">
        <ul className="grid gap-4 lg:grid-cols-3" />
      </template>
      <template data-name="plan">
        <PlanCardFrame
          name={tiers.map((tier) => (
            <When key={tier} is={tier}>
              {text.name(tier)}
            </When>
          ))}
          description={tiers.map((tier) => (
            <When key={tier} is={tier}>
              {text.description(tier)}
            </When>
          ))}
          listPrice={
            <When is="discounted">
              <ListPrice price="{{list}}" />
            </When>
          }
          price="{{price}}"
          billed={
            <>
              <When is="month">{t("plans.billedMonthly")}</When>
              <When is="year">{t("plans.billedYearly", { price: "{{billed}}" })}</When>
            </>
          }
          saved={
            <When is="saves">
              <span className="block">{t("plans.yearlySaves", { price: "{{saved}}" })}</span>
            </When>
          }
          limit={
            <>
              <When is="unlimited">{t("plans.unlimited")}</When>
              {pluralForms.map(([form, count]) => (
                <When key={form} is={form}>
                  {t("plans.upTo", { count, ...raw })}
                </When>
              ))}
            </>
          }
          action={
            <>
              <When is="recommended">
                <LandingLink to="/signup" button={{ variant: "primary", wide: true }}>
                  {t("landing.plans.choose")}
                </LandingLink>
              </When>
              <When is="other-plan">
                <LandingLink to="/signup" button={{ wide: true }}>
                  {t("landing.plans.choose")}
                </LandingLink>
              </When>
            </>
          }
        />
      </template>
      <template data-name="plans-failed">
        <ErrorPanel title={t("plans.loadFailed")} reason="{{reason}}" onRetry={() => undefined} />
      </template>
      <template data-name="plans-retrying">{t("common.tryingAgain")}</template>
      <template data-name="reasons">
        <When is="network">{t("errors.network")}</When>
        <When is="timeout">{t("errors.timeout")}</When>
        <When is="tooMany">{t("errors.tooMany")}</When>
        <When is="unavailable">{t("errors.unavailable")}</When>
        <When is="server">{t("errors.server")}</When>
      </template>
    </>
  );
}

/** A sample count for each plural form of the languages. */
const pluralForms = [
  ["one", 1],
  ["many", 1_000_000],
  ["other", 2],
] as const;
