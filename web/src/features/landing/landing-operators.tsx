import { Languages, MessageSquareReply, Smartphone, Sun, UserRound, WifiOff } from "lucide-react";
import { useTranslation } from "react-i18next";
import type { Language } from "#/i18n/languages";
import { FeatureCards } from "./feature-cards";
import { LandingLink } from "./landing-link";
import { PhoneFrame } from "./phone-frame";
import { ProductShot } from "./product-shot";
import { SectionTitle } from "./section-title";

export function LandingOperators({ language }: { language: Language }) {
  const { t } = useTranslation();
  return (
    <section className="border-t border-line bg-sunken">
      <div className="mx-auto grid max-w-(--container-page) gap-x-16 gap-y-10 px-4 py-16 lg:grid-cols-[19rem_1fr] lg:px-6 lg:py-24">
        <PhoneFrame className="mx-auto w-72 self-center max-lg:order-last lg:w-full">
          <ProductShot name="operator" language={language} alt={t("landing.shots.operator")} />
        </PhoneFrame>
        <div>
          <SectionTitle>{t("landing.operators.title")}</SectionTitle>
          <p className="mt-4 max-w-[36rem] text-lg text-muted">{t("landing.operators.text")}</p>
          <div className="mt-8">
            <FeatureCards
              features={[
                {
                  icon: Smartphone,
                  title: t("landing.operators.form.title"),
                  text: t("landing.operators.form.text"),
                },
                {
                  icon: WifiOff,
                  title: t("landing.operators.offline.title"),
                  text: t("landing.operators.offline.text"),
                },
                {
                  icon: Sun,
                  title: t("landing.operators.readable.title"),
                  text: t("landing.operators.readable.text"),
                },
                {
                  icon: UserRound,
                  title: t("landing.operators.access.title"),
                  text: t("landing.operators.access.text"),
                },
                {
                  icon: Languages,
                  title: t("landing.operators.language.title"),
                  text: t("landing.operators.language.text"),
                },
                {
                  icon: MessageSquareReply,
                  title: t("landing.operators.answers.title"),
                  text: t("landing.operators.answers.text"),
                },
              ]}
            />
          </div>
          <LandingLink
            to="/employee-login"
            button={{ size: "large" }}
            className="mt-7 max-sm:w-full"
          >
            {t("landing.operatorLogin")}
          </LandingLink>
        </div>
      </div>
    </section>
  );
}
