import { useTranslation } from "react-i18next";
import { useFormat } from "#/shared/format/use-format";
import type { AccountState } from "#/domain/account-states";
import { nextDate, type DateKind } from "./account-state";
import type { Account } from "./queries";

export function useStateTexts(): Readonly<Record<AccountState, string>> {
  const { t } = useTranslation();
  return {
    trial: t("admin-accounts.status.trial"),
    active: t("admin-accounts.status.active"),
    pastDue: t("admin-accounts.status.pastDue"),
    paused: t("admin-accounts.status.paused"),
    expired: t("admin-accounts.status.expired"),
    canceled: t("admin-accounts.status.canceled"),
  };
}

/** "Renews Jan 5, 2027"; null without a date. */
export function useNextDate(): (account: Account) => string | null {
  const { t } = useTranslation();
  const format = useFormat();
  return (account) => {
    const next = nextDate(account);
    if (!next) return null;
    const date = format.instantDay(next.at);
    const texts: Readonly<Record<DateKind, string>> = {
      trialEnds: t("admin-accounts.dates.trialEnds", { date }),
      trialEnded: t("admin-accounts.dates.trialEnded", { date }),
      renews: t("admin-accounts.dates.renews", { date }),
      accessEnds: t("admin-accounts.dates.accessEnds", { date }),
      resumes: t("admin-accounts.dates.resumes", { date }),
      ends: t("admin-accounts.dates.ends", { date }),
      ended: t("admin-accounts.dates.ended", { date }),
    };
    return texts[next.kind];
  };
}

/** "3 of 30", "3, no limit" or "30" if the equipment was not counted; null if billing knows no limit. */
export function useLimitText(): (account: Account) => string | null {
  const { t } = useTranslation();
  const format = useFormat();
  return ({ billed, equipment }) => {
    const limit = billed?.subscription?.entitlements?.equipmentLimit;
    if (limit === undefined) return null;
    if (equipment === undefined) {
      return limit < 0 ? t("admin-accounts.unlimited") : format.number(limit);
    }
    const used = format.number(equipment);
    return limit < 0
      ? t("admin-accounts.usedUnlimited", { used })
      : t("admin-accounts.used", { used, limit: format.number(limit) });
  };
}
