import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { Notice } from "#/shared/ui/notice";

/** Why no equipment can be added, with a link to larger plans. */
export function LimitNotice({ tone, text }: { tone: "info" | "danger"; text: string }) {
  const { t } = useTranslation();
  return (
    <Notice tone={tone}>
      {text}{" "}
      <Link
        to="/subscription"
        className="font-semibold whitespace-nowrap text-accent underline underline-offset-3"
      >
        {t("equipment.limit.plans")}
      </Link>
    </Notice>
  );
}
