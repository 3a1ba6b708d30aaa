import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { Brand } from "#/shared/ui/brand";
import { Button } from "#/shared/ui/button";
import { LanguageSwitch } from "#/shared/ui/language-switch";

export function LandingHeader() {
  const { t } = useTranslation();
  return (
    <header className="border-b border-line">
      <div className="mx-auto flex max-w-(--container-page) flex-wrap items-center gap-x-3 gap-y-2 px-4 py-2.5 lg:px-6">
        <Brand />
        <div className="ml-auto">
          <LanguageSwitch />
        </div>
        <nav aria-label={t("shell.mainNavigation")} className="flex gap-2 max-md:w-full">
          <Button asChild size="small" className="max-md:flex-1">
            <Link to="/employee-login">{t("landing.operatorLogin")}</Link>
          </Button>
          <Button asChild size="small" className="max-md:flex-1">
            <Link to="/login">{t("landing.ownerLogin")}</Link>
          </Button>
        </nav>
      </div>
    </header>
  );
}
