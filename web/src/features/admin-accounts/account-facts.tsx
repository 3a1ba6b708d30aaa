import { timestampDate, type Timestamp } from "@bufbuild/protobuf/wkt";
import { useTranslation } from "react-i18next";
import { useFormat } from "#/shared/format/use-format";
import { Card } from "#/shared/ui/card";
import { Fact } from "#/shared/ui/fact";
import { PlanCell } from "./account-columns";
import { stateOf } from "./account-state";
import { useLimitText, useNextDate } from "./account-words";
import type { AccountDetails } from "./queries";

const grid = "grid grid-cols-2 gap-x-6 gap-y-4";

export function AccountFacts({ account }: { account: AccountDetails }) {
  return (
    <div className="grid gap-5 lg:grid-cols-2">
      <PlanCard account={account} />
      <PeopleCard account={account} />
    </div>
  );
}

function PlanCard({ account }: { account: AccountDetails }) {
  const { t } = useTranslation();
  const format = useFormat();
  const limit = useLimitText()(account);
  const next = useNextDate()(account);
  const { billed, company } = account;
  const subscription = billed?.subscription;
  const notKnown = t("admin-accounts.notKnown");
  return (
    <Card title={t("admin-accounts.page.plan")}>
      <dl className={grid}>
        <Fact label={t("admin-accounts.columns.plan")}>
          <PlanCell account={account} />
        </Fact>
        <Fact label={t("admin-accounts.columns.expires")}>{next ?? t("admin-accounts.never")}</Fact>
        <Fact label={t("admin-accounts.page.equipment")}>
          {limit ?? notKnown}
          {billed?.equipmentLimitOverride !== undefined && (
            <span className="block text-sm font-normal text-muted">
              {t("admin-accounts.agreed")}
            </span>
          )}
        </Fact>
        {stateOf(account) === "trial" && subscription && (
          <Fact label={t("admin-accounts.page.trialDays")}>
            {format.number(subscription.trialDaysLeft)}
          </Fact>
        )}
        <Fact label={t("admin-accounts.columns.created")}>
          {company.createdAt
            ? format.instantDay(timestampDate(company.createdAt))
            : t("admin-accounts.never")}
        </Fact>
      </dl>
    </Card>
  );
}

function PeopleCard({ account: { company, people } }: { account: AccountDetails }) {
  const { t } = useTranslation();
  const format = useFormat();
  const signIn = (at: Timestamp | undefined) =>
    at ? format.instant(timestampDate(at)) : t("admin-accounts.page.noSignIn");
  return (
    <Card title={t("admin-accounts.page.people")}>
      <dl className={grid}>
        <Fact label={t("admin-accounts.page.owner")}>
          {people.ownerName || t("admin-accounts.page.noName")}
        </Fact>
        <Fact label={t("admin-accounts.page.ownerSignIn")}>{signIn(people.ownerLastSignInAt)}</Fact>
        <Fact label={t("admin-accounts.page.lastSignIn")}>{signIn(people.lastSignInAt)}</Fact>
        <Fact label={t("admin-accounts.page.managers")}>{format.number(people.managers)}</Fact>
        <Fact label={t("admin-accounts.page.operators")}>{format.number(people.operators)}</Fact>
        <Fact label={t("admin-accounts.columns.password")}>
          {company.operatorPasswordSet ? t("admin-accounts.masked") : t("admin-accounts.notSet")}
        </Fact>
      </dl>
    </Card>
  );
}
