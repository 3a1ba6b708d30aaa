import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { useSession } from "#/session/session";
import { audienceOf } from "#/domain/permissions";
import { Button } from "#/shared/ui/button";

export function NotFoundPage() {
  const { t } = useTranslation();
  const home = audienceOf(useSession()) === "staff" ? "/admin-accounts" : "/";
  return (
    <div className="py-16 text-center">
      <p aria-hidden className="font-mono text-figure text-muted">
        404
      </p>
      <h1 tabIndex={-1} className="mt-2 text-title font-[650]">
        {t("shell.notFound.title")}
      </h1>
      <p className="mx-auto mt-2 max-w-prose text-muted">{t("shell.notFound.text")}</p>
      <Button asChild variant="primary" className="mt-6">
        <Link to={home}>
          {home === "/" ? t("shell.notFound.action") : t("shell.notFound.staffAction")}
        </Link>
      </Button>
    </div>
  );
}
