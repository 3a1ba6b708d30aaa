import { Link } from "@tanstack/react-router";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { planCatalogueQuery } from "#/api/plans";
import { useTrialLength } from "#/domain/trial";
import { Button } from "#/shared/ui/button";
import { LandingFeatures } from "./landing-features";
import { LandingFooter } from "./landing-footer";
import { LandingHeader } from "./landing-header";
import { LandingPlans } from "./landing-plans";
import { SampleList } from "./sample-list";

export function LandingPage() {
  const { t } = useTranslation();
  const trial = useTrialLength(useQuery(planCatalogueQuery).data?.trialDays);
  const trialLine = trial ? t("landing.hero.trial", { trial }) : t("landing.hero.trialShort");
  return (
    <>
      <LandingHeader />
      <main id="main" tabIndex={-1} className="outline-none">
        <section className="mx-auto grid max-w-(--container-page) items-center gap-10 px-4 pt-10 pb-16 lg:grid-cols-[1.05fr_1fr] lg:gap-14 lg:px-6 lg:pt-20 lg:pb-24">
          <div>
            <h1 tabIndex={-1} className="text-hero font-[650] text-balance">
              {t("landing.hero.title")}
            </h1>
            <p className="mt-5 max-w-[38rem] text-lg text-muted">{t("landing.hero.text")}</p>
            <div className="mt-8 flex flex-wrap items-center gap-3">
              <Button asChild variant="primary" size="large" className="max-sm:w-full">
                <Link to="/signup">{t("landing.hero.getStarted")}</Link>
              </Button>
              <Button asChild size="large" className="max-sm:w-full">
                <Link to="/employee-login">{t("landing.operatorLogin")}</Link>
              </Button>
            </div>
            <p className="mt-4 text-muted">{trialLine}</p>
          </div>
          <SampleList />
        </section>
        <LandingFeatures />
        <LandingPlans />
        <section className="border-t border-line bg-raised">
          <div className="mx-auto max-w-(--container-page) px-4 py-16 lg:px-6 lg:py-20">
            <h2 className="max-w-[24ch] text-[1.875rem] leading-tight font-[650] tracking-[-0.015em] text-balance">
              {t("landing.closing.title")}
            </h2>
            <p className="mt-3 max-w-[34rem] text-lg text-muted">{t("landing.closing.text")}</p>
            <div className="mt-7 flex flex-wrap items-center gap-x-6 gap-y-3">
              <Button asChild variant="primary" size="large" className="max-sm:w-full">
                <Link to="/signup">{t("landing.hero.getStarted")}</Link>
              </Button>
              {/* The gateway's own entry for owners; a plain link, since it answers with a redirect. */}
              <a
                href="/api/login/owner"
                className="py-2 font-semibold text-accent underline decoration-1 underline-offset-3 hover:text-accent-hover"
              >
                {t("landing.ownerSignIn")}
              </a>
            </div>
          </div>
        </section>
      </main>
      <LandingFooter />
    </>
  );
}
