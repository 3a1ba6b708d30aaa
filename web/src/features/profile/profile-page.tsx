import { timestampDate } from "@bufbuild/protobuf/wkt";
import { useTransport } from "@connectrpc/connect-query";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { TFunction } from "i18next";
import { ShieldAlert, ShieldCheck } from "lucide-react";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { useErrorText } from "#/api/error-text";
import { Role, Scope, type User } from "#/api/gen/hourmeter/accounts/v1/accounts_pb";
import type * as permissions from "#/domain/permissions";
import { initialsOf, personName } from "#/domain/person";
import { useRoleLabel } from "#/domain/role-label";
import { useFormat } from "#/shared/format/use-format";
import { Badge } from "#/shared/ui/badge";
import { Button } from "#/shared/ui/button";
import { Card } from "#/shared/ui/card";
import { ErrorPanel } from "#/shared/ui/error-panel";
import { PageHeader } from "#/shared/ui/page-header";
import { SkeletonRows } from "#/shared/ui/skeleton";
import { currentUserQuery } from "./queries";

/** Who is signed in, as what, and how they get in. */
export function ProfilePage() {
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
      {user && <Profile user={user} />}
    </div>
  );
}

function roleWord(role: Role): permissions.Role {
  switch (role) {
    case Role.OWNER:
      return "owner";
    case Role.MANAGER:
      return "manager";
    case Role.SUPPORT:
      return "support";
    case Role.OPERATOR:
    default:
      return "operator";
  }
}

function Profile({ user }: { user: User }) {
  const { t } = useTranslation();
  const format = useFormat();
  const roleLabel = useRoleLabel();
  const { operatorUsername = null, email = null, secondaryEmail } = user;
  // Everyone who knows the operator password can open such a session, so it tells nothing of the owner.
  const shared = user.scope === Scope.OPERATOR && operatorUsername === null;
  const manages = user.scope === Scope.FULL && user.role !== Role.OPERATOR;
  const name = personName({ ...user, role: roleWord(user.role), operatorUsername, email });
  return (
    <div className="space-y-5">
      <Card>
        <div className="flex items-center gap-4">
          <span
            aria-hidden
            className="grid size-14 shrink-0 place-items-center rounded-full bg-accent-soft text-lg font-semibold text-accent"
          >
            {initialsOf(name)}
          </span>
          <div className="min-w-0">
            <p className="text-lg font-semibold break-words">{name}</p>
            <Badge>{roleLabel(roleWord(user.role))}</Badge>
          </div>
        </div>
        <dl className="mt-5 grid gap-x-8 gap-y-4 border-t border-line pt-5 md:grid-cols-2">
          <Fact label={t("profile.businessName")}>{user.businessName}</Fact>
          {!shared && email && <Fact label={t("profile.email")}>{email}</Fact>}
          {!shared && secondaryEmail && (
            <Fact label={t("profile.secondaryEmail")}>{secondaryEmail}</Fact>
          )}
          {operatorUsername && (
            <Fact label={t("profile.username")}>
              <span className="font-mono">{operatorUsername}</span>
            </Fact>
          )}
          {!shared && user.createdAt && (
            <Fact label={t("profile.memberSince")}>
              {format.instantDay(timestampDate(user.createdAt))}
            </Fact>
          )}
        </dl>
      </Card>
      <Card title={t("profile.signIn.title")}>
        <p>{signInText(t, user, shared)}</p>
        <p className="mt-1 text-sm text-muted">{t("profile.signIn.case")}</p>
      </Card>
      {manages && <SecurityQuestions set={user.securityQuestionsSet} />}
    </div>
  );
}

/** How the person gets in; the gateway knows no other ways. */
function signInText(t: TFunction, user: User, shared: boolean): string {
  if (shared) return t("profile.signIn.shared");
  switch (roleWord(user.role)) {
    case "owner":
      return t("profile.signIn.owner");
    case "operator":
      return t("profile.signIn.operator");
    case "manager":
    case "support":
      return t("profile.signIn.manager");
  }
}

function Fact({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className="min-w-0">
      <dt className="text-sm text-muted">{label}</dt>
      <dd className="font-semibold break-words">{children}</dd>
    </div>
  );
}

function SecurityQuestions({ set }: { set: boolean }) {
  const { t } = useTranslation();
  const Icon = set ? ShieldCheck : ShieldAlert;
  return (
    <Card title={t("profile.questions.title")} description={t("profile.questions.text")}>
      <div className="flex flex-wrap items-center justify-between gap-3">
        <p className="flex items-center gap-2 font-semibold">
          <Icon aria-hidden className={`size-5 ${set ? "text-accent" : "text-muted"}`} />
          {set ? t("profile.questions.set") : t("profile.questions.notSet")}
        </p>
        <Button asChild variant={set ? "secondary" : "primary"}>
          <Link to="/security-questions">
            {set ? t("profile.questions.change") : t("profile.questions.setUp")}
          </Link>
        </Button>
      </div>
    </Card>
  );
}
