import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { Brand } from "#/shared/ui/brand";

const linkClass = "inline-block py-1.5 font-semibold hover:underline underline-offset-3";

export function LandingFooter() {
  const { t } = useTranslation();
  return (
    <footer className="border-t border-line bg-sunken">
      <div className="mx-auto flex max-w-(--container-page) flex-wrap items-start justify-between gap-x-12 gap-y-6 px-4 py-10 lg:px-6">
        <div>
          <Brand />
          <p className="mt-2 max-w-[26rem] text-sm text-muted">{t("landing.footer.text")}</p>
        </div>
        <ul className="text-sm md:text-right">
          <li>
            <Link to="/signup" className={linkClass}>
              {t("landing.plans.choose")}
            </Link>
          </li>
          <li>
            <Link to="/login" className={linkClass}>
              {t("landing.ownerLogin")}
            </Link>
          </li>
          <li>
            <Link to="/employee-login" className={linkClass}>
              {t("landing.operatorLogin")}
            </Link>
          </li>
        </ul>
      </div>
    </footer>
  );
}
