import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { Button } from "#/shared/ui/button";

/** Links from a premium feature that is not in the plan to the plans (section 9). */
export function UpgradeAction() {
  const { t } = useTranslation();
  return (
    <div className="flex shrink-0 flex-col gap-1.5 md:items-center">
      <Button asChild variant="primary">
        <Link to="/subscription">{t("subscription.upgrade.action")}</Link>
      </Button>
      <p className="text-center text-sm text-muted">{t("subscription.upgrade.trial")}</p>
    </div>
  );
}
