import { CalendarPlus, EllipsisVertical, Handshake } from "lucide-react";
import { useTranslation } from "react-i18next";
import { Button } from "#/shared/ui/button";
import { Menu, MenuItem } from "#/shared/ui/menu";
import { isPaid } from "./account-state";
import type { Account } from "./queries";

export function AccountMenu({
  account,
  onTrial,
  onPlan,
}: {
  account: Account;
  onTrial: (account: Account) => void;
  onPlan: (account: Account) => void;
}) {
  const { t } = useTranslation();
  const paid = isPaid(account);
  return (
    <Menu
      trigger={
        <Button
          variant="quiet"
          size="small"
          icon
          aria-label={t("admin-accounts.actions", { name: account.company.businessName })}
        >
          <EllipsisVertical aria-hidden className="size-5" />
        </Button>
      }
    >
      <MenuItem
        icon={<CalendarPlus aria-hidden className="size-4 shrink-0" />}
        disabled={paid}
        onSelect={() => onTrial(account)}
      >
        <span>
          {t("admin-accounts.trial.action")}
          {paid && (
            <span className="block max-w-56 text-xs text-muted">
              {t("admin-accounts.trial.onlyTrial")}
            </span>
          )}
        </span>
      </MenuItem>
      <MenuItem
        icon={<Handshake aria-hidden className="size-4 shrink-0" />}
        onSelect={() => onPlan(account)}
      >
        {t("admin-accounts.plan.action")}
      </MenuItem>
    </Menu>
  );
}
