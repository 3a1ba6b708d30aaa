import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { Notice } from "#/shared/ui/notice";

export function InactiveNotice() {
  const { t } = useTranslation();
  return (
    <Notice>
      {t("operators.inactive.text")}{" "}
      <Link to="/subscription" className="font-semibold text-accent underline underline-offset-3">
        {t("operators.inactive.link")}
      </Link>
    </Notice>
  );
}
