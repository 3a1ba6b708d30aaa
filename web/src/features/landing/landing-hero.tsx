import { useTranslation } from "react-i18next";
import type { Language } from "#/i18n/languages";
import { InstallButton } from "./install-button";
import { LandingLink } from "./landing-link";
import { PricePerMachine } from "./landing-plans";
import { PhoneFrame } from "./phone-frame";
import { ProductShot } from "./product-shot";

export function LandingHero({ language }: { language: Language }) {
  const { t } = useTranslation();
  return (
    <section className="overflow-hidden">
      <div className="mx-auto max-w-(--container-page) px-4 pt-9 md:pt-14 lg:px-6 lg:pt-16">
        <div className="grid items-end gap-x-14 gap-y-6 lg:grid-cols-[1.15fr_1fr]">
          <h1 tabIndex={-1} className="text-hero font-[650] text-balance">
            {t("landing.hero.title")}
          </h1>
          <p className="max-w-[38rem] text-lg text-muted lg:pb-1.5">{t("landing.hero.text")}</p>
        </div>
        <div className="no-print mt-7 flex flex-wrap items-center gap-3 lg:mt-9">
          <LandingLink
            to="/signup"
            button={{ variant: "primary", size: "large" }}
            className="max-sm:w-full"
          >
            {t("landing.hero.getStarted")}
          </LandingLink>
          <LandingLink
            to="/employee-login"
            button={{ size: "large" }}
            className="whitespace-nowrap max-sm:flex-1"
          >
            {t("landing.operatorLogin")}
          </LandingLink>
          <InstallButton />
        </div>
        <p
          data-trial={t("landing.hero.trial", { skipInterpolation: true })}
          className="mt-4 text-muted"
        >
          {t("landing.hero.trialShort")}
        </p>
        <PricePerMachine />
      </div>
      <div className="relative mx-auto mt-8 max-w-(--container-page) px-4 lg:mt-10 lg:px-6">
        <div className="aspect-[358/420] overflow-hidden rounded-t-card border border-b-0 border-control-line md:aspect-[1192/590]">
          <ProductShot
            first
            name="dashboard"
            narrow="cards"
            language={language}
            alt={t("landing.shots.dashboard")}
          />
        </div>
        <PhoneFrame className="absolute right-10 -bottom-2 w-64 rounded-b-none border-b-0 max-lg:hidden">
          <div className="h-[27rem] overflow-hidden">
            <ProductShot name="operator" language={language} alt={t("landing.shots.operator")} />
          </div>
        </PhoneFrame>
      </div>
    </section>
  );
}
