import { useTransport } from "@connectrpc/connect-query";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { ArrowLeft, CalendarPlus, Handshake, KeyRound, Tractor } from "lucide-react";
import { useState, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { useErrorText } from "#/api/error-text";
import { toFailure } from "#/api/errors";
import { useDocumentTitle } from "#/shared/document-title";
import { Button } from "#/shared/ui/button";
import { ErrorPanel } from "#/shared/ui/error-panel";
import { PageHeader } from "#/shared/ui/page-header";
import { SkeletonRows } from "#/shared/ui/skeleton";
import { StateBadge } from "./account-columns";
import { AccountEvents } from "./account-events";
import { AccountFacts } from "./account-facts";
import { isPaid } from "./account-state";
import { accountQuery, type AccountDetails } from "./queries";
import { StaffDialogs, type StaffDialog } from "./staff-dialogs";

/** What support staff may know about one company, and what they can do for it. */
export function AccountPage({
  id,
  unknown,
}: {
  id: string;
  /** Shown for an unknown id. */
  unknown: ReactNode;
}) {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const query = useQuery(accountQuery(useTransport(), id));
  if (query.error && toFailure(query.error).status === 404) return unknown;
  return (
    <>
      <Link
        to="/admin-accounts"
        className="mb-3 inline-flex items-center gap-1.5 font-semibold text-accent hover:underline"
      >
        <ArrowLeft aria-hidden className="size-4" />
        {t("shell.titles.adminAccounts")}
      </Link>
      {query.data && <Loaded account={query.data} />}
      {query.isPending && (
        <div className="rounded-card border border-line bg-raised">
          <SkeletonRows label={t("common.loading")} />
        </div>
      )}
      {query.error && (
        <ErrorPanel
          title={t("admin-accounts.page.failed")}
          reason={errorText(query.error)}
          onRetry={() => void query.refetch()}
          retrying={query.isFetching}
        />
      )}
    </>
  );
}

function Loaded({ account }: { account: AccountDetails }) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const { queryKey } = accountQuery(useTransport(), account.id);
  const [dialog, setDialog] = useState<StaffDialog | null>(null);
  const { businessName, email, operatorPasswordSet } = account.company;
  useDocumentTitle(businessName);
  const paid = isPaid(account);
  const close = () => {
    setDialog(null);
    void client.invalidateQueries({ queryKey });
  };
  return (
    <>
      <PageHeader
        title={
          <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
            <span className="wrap-anywhere">{businessName}</span>
            <StateBadge account={account} />
          </span>
        }
        description={<span className="wrap-anywhere">{email}</span>}
        actions={
          <>
            <Button
              disabledReason={paid ? t("admin-accounts.trial.onlyTrial") : undefined}
              onClick={() => setDialog("trial")}
            >
              <CalendarPlus aria-hidden className="size-4" />
              {t("admin-accounts.trial.action")}
            </Button>
            <Button onClick={() => setDialog("plan")}>
              <Handshake aria-hidden className="size-4" />
              {t("admin-accounts.plan.action")}
            </Button>
            <Button onClick={() => setDialog("limit")}>
              <Tractor aria-hidden className="size-4" />
              {t("admin-accounts.page.changeLimit")}
            </Button>
            <Button
              disabledReason={operatorPasswordSet ? undefined : t("admin-accounts.reveal.none")}
              onClick={() => setDialog("reveal")}
            >
              <KeyRound aria-hidden className="size-4" />
              {t("admin-accounts.page.reveal")}
            </Button>
          </>
        }
      />
      <div className="space-y-5">
        <AccountFacts account={account} />
        <AccountEvents events={account.events} />
      </div>
      {dialog && <StaffDialogs dialog={dialog} account={account} onClose={close} />}
    </>
  );
}
