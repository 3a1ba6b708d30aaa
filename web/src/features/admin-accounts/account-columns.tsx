import { timestampDate } from "@bufbuild/protobuf/wkt";
import { Link } from "@tanstack/react-router";
import { TriangleAlert } from "lucide-react";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import { tierWord } from "#/domain/subscription-words";
import { usePlanText } from "#/shared/words/plan-text";
import { useFormat } from "#/shared/format/use-format";
import type { Column } from "#/shared/table/column";
import { Badge } from "#/shared/ui/badge";
import { rowLink } from "#/shared/table/use-row-links";
import { Button } from "#/shared/ui/button";
import { AccountMenu } from "./account-menu";
import { stateOf } from "./account-state";
import { useLimitText, useNextDate, useStateTexts } from "./account-words";
import type { Account } from "./queries";

export interface AccountActions {
  onReveal: (account: Account) => void;
  onLimit: (account: Account) => void;
  onTrial: (account: Account) => void;
  onPlan: (account: Account) => void;
}

export function useAccountColumns({
  onReveal,
  onLimit,
  onTrial,
  onPlan,
}: AccountActions): ReadonlyArray<Column<Account>> {
  const { t } = useTranslation();
  return useMemo(
    () => [
      {
        id: "business",
        header: t("admin-accounts.columns.business"),
        card: "title",
        cell: (account) => <BusinessCell account={account} />,
      },
      {
        id: "plan",
        header: t("admin-accounts.columns.plan"),
        cell: (account) => <PlanCell account={account} />,
      },
      {
        id: "status",
        header: t("admin-accounts.columns.status"),
        card: "badge",
        cell: (account) => <StateBadge account={account} />,
      },
      {
        id: "limit",
        header: t("admin-accounts.columns.limit"),
        cell: (account) => <LimitCell account={account} onLimit={onLimit} />,
      },
      {
        id: "expires",
        header: t("admin-accounts.columns.expires"),
        cell: (account) => <NextDateCell account={account} />,
      },
      {
        id: "created",
        header: t("admin-accounts.columns.created"),
        wide: true,
        cell: (account) => <CreatedCell account={account} />,
      },
      {
        id: "password",
        header: t("admin-accounts.columns.password"),
        wide: true,
        cell: (account) => <PasswordCell account={account} onReveal={onReveal} />,
      },
      {
        id: "actions",
        header: t("admin-accounts.columns.actions"),
        card: "actions",
        align: "end",
        cell: (account) => <AccountMenu account={account} onTrial={onTrial} onPlan={onPlan} />,
      },
    ],
    [t, onReveal, onLimit, onTrial, onPlan],
  );
}

function BusinessCell({ account }: { account: Account }) {
  return (
    <div className="max-w-80 min-w-0">
      <Link
        to="/admin-accounts/$id"
        params={{ id: account.id }}
        {...rowLink}
        className="inline-block font-semibold wrap-anywhere hover:underline"
      >
        {account.company.businessName}
      </Link>
      {account.company.email && (
        <span className="block text-xs wrap-anywhere text-muted">{account.company.email}</span>
      )}
    </div>
  );
}

export function PlanCell({ account: { billed } }: { account: Account }) {
  const { t } = useTranslation();
  const plan = usePlanText();
  const tier = billed?.subscription?.entitlements?.tier;
  if (!tier) return <span className="text-muted">{t("admin-accounts.notKnown")}</span>;
  return plan.name(tierWord(tier));
}

export function StateBadge({ account }: { account: Account }) {
  const { t } = useTranslation();
  const texts = useStateTexts();
  const state = stateOf(account);
  if (!state) return <span className="text-sm text-muted">{t("admin-accounts.notKnown")}</span>;
  const open = state === "active" || state === "trial";
  return (
    <Badge
      tone={open ? "accent" : "neutral"}
      icon={state === "pastDue" && <TriangleAlert aria-hidden className="size-3.5 text-danger" />}
    >
      <span className="whitespace-nowrap">{texts[state]}</span>
    </Badge>
  );
}

function LimitCell({ account, onLimit }: { account: Account; onLimit: AccountActions["onLimit"] }) {
  const { t } = useTranslation();
  const limit = useLimitText()(account);
  if (limit === null) return <span className="text-muted">{t("admin-accounts.notKnown")}</span>;
  return (
    <div>
      <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <span className="min-w-8">{limit}</span>
        <Button
          size="small"
          aria-label={t("admin-accounts.limit.name", { name: account.company.businessName })}
          onClick={() => onLimit(account)}
        >
          {t("admin-accounts.limit.action")}
        </Button>
      </span>
      {account.billed?.equipmentLimitOverride !== undefined && (
        <span title={t("admin-accounts.agreedHint")} className="mt-0.5 block text-xs text-muted">
          {t("admin-accounts.agreed")}
        </span>
      )}
    </div>
  );
}

function PasswordCell({
  account,
  onReveal,
}: {
  account: Account;
  onReveal: AccountActions["onReveal"];
}) {
  const { t } = useTranslation();
  if (!account.company.operatorPasswordSet) {
    return <span className="text-muted">{t("admin-accounts.notSet")}</span>;
  }
  return (
    <span className="flex flex-wrap items-center gap-x-2 gap-y-1">
      <span aria-hidden className="font-mono text-muted">
        ••••••
      </span>
      <span className="sr-only">{t("admin-accounts.masked")}</span>
      <Button
        size="small"
        aria-label={t("admin-accounts.reveal.name", { name: account.company.businessName })}
        onClick={() => onReveal(account)}
      >
        {t("admin-accounts.reveal.action")}
      </Button>
    </span>
  );
}

function NextDateCell({ account }: { account: Account }) {
  const { t } = useTranslation();
  const text = useNextDate()(account);
  return text ?? <span className="text-muted">{t("admin-accounts.never")}</span>;
}

function CreatedCell({ account: { company } }: { account: Account }) {
  const { t } = useTranslation();
  const format = useFormat();
  return company.createdAt ? (
    <span className="whitespace-nowrap">{format.instantDay(timestampDate(company.createdAt))}</span>
  ) : (
    <span className="text-muted">{t("admin-accounts.never")}</span>
  );
}
