import { Link } from "@tanstack/react-router";
import { Fuel } from "lucide-react";
import { useTranslation } from "react-i18next";
import { Badge } from "#/shared/ui/badge";
import { Button } from "#/shared/ui/button";

/** Replaces the figures if the plan does not include them, or while it is paused. */
export function UpgradeBanner({ isPaused }: { isPaused: boolean }) {
  const { t } = useTranslation();
  return (
    <section
      aria-labelledby="fuel-upgrade"
      className="flex flex-col gap-4 rounded-card border border-line bg-accent-soft p-4 md:flex-row md:items-center md:justify-between md:p-5"
    >
      <div className="flex min-w-0 gap-3.5">
        <Fuel aria-hidden className="mt-0.5 size-6 shrink-0 text-accent" />
        <div className="min-w-0">
          <h2 id="fuel-upgrade" className="flex flex-wrap items-center gap-2 text-lg font-semibold">
            {t("fuel.title")}
            <Badge>{t("fuel.premium")}</Badge>
          </h2>
          <p className="mt-0.5 max-w-prose text-muted">{t("fuel.upgradeText")}</p>
        </div>
      </div>
      <div className="flex shrink-0 flex-col gap-1.5 md:items-center">
        <Button asChild variant="primary">
          <Link to="/subscription">
            {isPaused ? t("subscription.reactivate.action") : t("subscription.upgrade.action")}
          </Link>
        </Button>
        <p className="text-center text-sm text-muted">
          {isPaused ? t("subscription.banner.paused") : t("subscription.upgrade.trial")}
        </p>
      </div>
    </section>
  );
}
