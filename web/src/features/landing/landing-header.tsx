import { useTranslation } from "react-i18next";
import type { Language } from "#/i18n/languages";
import { Brand } from "#/shared/ui/brand";
import { LanguageButtons } from "#/shared/ui/language-buttons";
import { LandingLink } from "./landing-link";

export function LandingHeader({ language }: { language: Language }) {
  const { t } = useTranslation();
  return (
    <header className="border-b border-line bg-raised">
      <div className="mx-auto flex max-w-(--container-page) flex-wrap items-center gap-x-3 gap-y-2 px-4 py-2.5 lg:px-6">
        <Brand />
        <div className="ml-auto flex items-center gap-2">
          <a
            href="#plans"
            className="inline-flex min-h-9 items-center rounded-control px-2.5 text-sm font-semibold text-muted hover:text-ink max-md:hidden print:hidden"
          >
            {t("landing.plans.link")}
          </a>
          <LanguageButtons now={language} />
        </div>
        <nav aria-label={t("shell.mainNavigation")} className="flex gap-2 max-md:w-full">
          <LandingLink to="/employee-login" button={{ size: "small" }} className="max-md:flex-1">
            {t("landing.operatorLogin")}
          </LandingLink>
          <LandingLink to="/login" button={{ size: "small" }} className="max-md:flex-1">
            {t("landing.ownerLogin")}
          </LandingLink>
        </nav>
      </div>
    </header>
  );
}
