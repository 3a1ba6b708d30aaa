import { useTranslation } from "react-i18next";
import { LandingLink } from "./landing-link";
import { SectionTitle } from "./section-title";

export function LandingClosing() {
  const { t } = useTranslation();
  return (
    <section className="border-t border-line bg-raised">
      <div className="mx-auto max-w-(--container-page) px-4 py-16 lg:px-6 lg:py-24">
        <div className="max-w-[38rem]">
          <SectionTitle>{t("landing.closing.title")}</SectionTitle>
        </div>
        <p className="mt-4 max-w-[36rem] text-lg text-muted">{t("landing.closing.text")}</p>
        <div className="no-print mt-7 flex flex-wrap items-center gap-x-6 gap-y-3">
          <LandingLink
            to="/signup"
            button={{ variant: "primary", size: "large" }}
            className="max-sm:w-full"
          >
            {t("landing.hero.getStarted")}
          </LandingLink>
          {/* The gateway's entry for owners; a plain link, because it redirects. */}
          <a
            href="/api/login/owner"
            className="py-2.5 font-semibold text-accent underline decoration-1 underline-offset-3 hover:text-accent-hover"
          >
            {t("landing.ownerSignIn")}
          </a>
        </div>
      </div>
    </section>
  );
}
