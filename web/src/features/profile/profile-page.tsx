import { useTransport } from "@connectrpc/connect-query";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { useErrorText } from "#/api/error-text";
import type { User } from "#/api/gen/hourmeter/accounts/v1/accounts_pb";
import { Card } from "#/shared/ui/card";
import { ErrorPanel } from "#/shared/ui/error-panel";
import { PageHeader } from "#/shared/ui/page-header";
import { SkeletonRows } from "#/shared/ui/skeleton";
import { CompanyCard } from "./company-card";
import { ContrastCard } from "./contrast-card";
import { DetailsCard } from "./details-card";
import { DigestCard } from "./digest-card";
import { isSharedSession, rulesOf } from "./person";
import { currentUserQuery } from "./queries";
import { SecurityCard } from "./security-card";

/** `pin` is the card for signing in without signal, for operators. */
export function ProfilePage({ pin }: { pin: ReactNode }) {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const query = useQuery(currentUserQuery(useTransport()));
  const user = query.data?.user;
  return (
    <div className="mx-auto max-w-3xl">
      <PageHeader title={t("shell.titles.profile")} />
      {query.isPending && (
        <Card flush>
          <SkeletonRows rows={4} label={t("common.loading")} />
        </Card>
      )}
      {query.error && !user && (
        <ErrorPanel
          title={t("profile.loadFailed")}
          reason={errorText(query.error)}
          onRetry={() => void query.refetch()}
          retrying={query.isFetching}
        />
      )}
      {user && (
        <div className="space-y-5">
          <DetailsCard user={user} />
          {rulesOf(user).manages ? (
            <>
              <DigestCard user={user} />
              <CompanyCard />
              <SecurityCard user={user} />
            </>
          ) : (
            <>
              <OperatorSignIn user={user} />
              {pin}
            </>
          )}
        </div>
      )}
      <div className="mt-5">
        <ContrastCard />
      </div>
    </div>
  );
}

/** Operators can't change a password here, so they see who can help. */
function OperatorSignIn({ user }: { user: User }) {
  const { t } = useTranslation();
  const shared = isSharedSession(user);
  return (
    <Card title={t("profile.signIn.title")}>
      <p>{shared ? t("profile.signIn.shared") : t("profile.signIn.operator")}</p>
      <p className="mt-2 text-muted">
        {shared ? t("profile.signIn.sharedEdit") : t("profile.signIn.operatorHelp")}
      </p>
      <p className="mt-2 text-sm text-muted">{t("profile.signIn.case")}</p>
    </Card>
  );
}
