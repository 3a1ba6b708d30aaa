import { useTranslation } from "react-i18next";
import { Brand } from "#/shared/ui/brand";
import { downloadSectionId } from "./install-button";
import { LandingLink } from "./landing-link";

const linkClass =
  "inline-flex min-h-11 items-center font-semibold underline-offset-3 hover:underline md:min-h-8";

export function LandingFooter() {
  const { t } = useTranslation();
  return (
    <footer className="border-t border-line bg-sunken">
      <div className="mx-auto flex max-w-(--container-page) flex-wrap items-start justify-between gap-x-12 gap-y-6 px-4 py-10 lg:px-6">
        <div>
          <Brand />
          <p className="mt-2 max-w-[26rem] text-sm text-muted">{t("landing.footer.text")}</p>
        </div>
        <nav aria-label={t("landing.footer.links")}>
          <ul className="text-sm md:text-right">
            <li>
              <LandingLink to="/signup" className={linkClass}>
                {t("landing.plans.choose")}
              </LandingLink>
            </li>
            <li>
              <LandingLink to="/login" className={linkClass}>
                {t("landing.ownerLogin")}
              </LandingLink>
            </li>
            <li>
              <LandingLink to="/employee-login" className={linkClass}>
                {t("landing.operatorLogin")}
              </LandingLink>
            </li>
            <li>
              <a href="#plans" className={linkClass}>
                {t("landing.plans.link")}
              </a>
            </li>
            <li>
              <a href={`#${downloadSectionId}`} className={linkClass}>
                {t("landing.install.title")}
              </a>
            </li>
            <li>
              <a href="#contact" className={linkClass}>
                {t("landing.contact.link")}
              </a>
            </li>
          </ul>
        </nav>
      </div>
    </footer>
  );
}
