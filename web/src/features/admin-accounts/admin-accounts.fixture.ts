import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import {
  Code,
  createRouterTransport,
  type ConnectError,
  type ServiceImpl,
} from "@connectrpc/connect";
import { fireEvent, screen, waitFor, within } from "@testing-library/react";
import { expect } from "vitest";
import { AccountSchema, AccountsService } from "#/api/gen/hourmeter/accounts/v1/accounts_pb";
import {
  StaffService as AccountsStaff,
  type GetAccountResponseSchema,
} from "#/api/gen/hourmeter/accounts/v1/staff_pb";
import {
  AccountSubscriptionSchema,
  BillingService,
  SubscriptionStatus,
  Tier,
} from "#/api/gen/hourmeter/billing/v1/billing_pb";
import {
  AccountState,
  StaffService as BillingStaff,
} from "#/api/gen/hourmeter/billing/v1/staff_pb";
import { StaffService as EquipmentStaff } from "#/api/gen/hourmeter/equipment/v1/staff_pb";
import { refusal } from "#/test/refusal";
import { owner, renderApp, stubRest } from "#/test/render-app";
import { stateOf } from "./account-state";
import type { Account } from "./queries";

const stateNames: Record<string, AccountState> = {
  trial: AccountState.TRIAL,
  active: AccountState.ACTIVE,
  pastDue: AccountState.PAST_DUE,
  paused: AccountState.PAUSED,
  canceled: AccountState.CANCELED,
  expired: AccountState.EXPIRED,
};

const staff = {
  ...owner,
  id: "s1",
  companyId: null,
  role: "support",
  firstName: "Sam",
  lastName: "Ortiz",
  businessName: null,
};

interface Wanted {
  tier?: Tier;
  status?: SubscriptionStatus;
  limit?: number;
  override?: number | undefined;
  expiry?: string | null;
  trialEnd?: string;
  passwordSet?: boolean;
  /** Null: it could not be counted. */
  equipment?: number | null;
  graceEnd?: string;
  /** False: billing does not know the company. */
  met?: boolean;
}

const day = (at: string) => timestampFromDate(new Date(at));

export function account(index: number, wanted: Wanted = {}): Account {
  const { tier = Tier.BASIC, status = SubscriptionStatus.ACTIVE, limit = 15, override } = wanted;
  const { expiry = "2027-01-05T18:00:00Z", passwordSet = true, met = true } = wanted;
  const { trialEnd, graceEnd, equipment = 3 } = wanted;
  const id = `a${index}`;
  const billed = create(AccountSubscriptionSchema, {
    companyId: id,
    subscription: {
      entitlements: { tier, status, equipmentLimit: limit },
      ...(expiry === null ? {} : { currentPeriodEnd: day(expiry) }),
      ...(trialEnd && { trialEnd: day(trialEnd) }),
      ...(graceEnd && { graceEnd: day(graceEnd) }),
    },
    equipmentLimitOverride: override,
  });
  const company = create(AccountSchema, {
    id,
    businessName: `Business ${index}`,
    email: `owner${index}@example.test`,
    operatorPasswordSet: passwordSet,
    createdAt: day("2026-01-05T18:00:00Z"),
  });
  return { id, company, billed: met ? billed : undefined, equipment: equipment ?? undefined };
}

const event = {
  outcome: "success",
  scope: "staff",
  actorId: "s1",
  actorName: "Sam Ortiz",
  detail: "Ticket 4711: cards were lost",
};
/** What only an account's page shows. */
export const details = {
  ownerName: "Dana Ruiz",
  ownerLastSignInAt: day("2026-11-20T18:00:00Z"),
  managers: 2,
  operators: 7,
  events: [
    {
      ...event,
      id: "e2",
      at: day("2026-11-19T18:00:00Z"),
      event: "operator_password_revealed_by_support",
    },
  ],
};
const planChanges = [
  {
    ...event,
    id: "e1",
    at: day("2026-11-18T18:00:00Z"),
    event: "plan_set",
    targetName: "professional",
  },
];

export const reasonText = "Ticket 4711: cards were lost";
export const secret = "Pa55 w0rd-of-the-crew";

export type Calls = Partial<
  Pick<ServiceImpl<typeof BillingService>, "setEquipmentLimit" | "extendTrial" | "setPlan"> &
    Pick<ServiceImpl<typeof AccountsService>, "revealAccountOperatorPassword">
>;

export const refuse = (error: ConnectError) => () => {
  throw error;
};

export async function open(
  accounts: Account[],
  calls: Calls = {},
  answers: Parameters<typeof stubRest>[0] = {},
  path = "/admin-accounts",
  shown: MessageInitShape<typeof GetAccountResponseSchema> = details,
) {
  stubRest({ "GET /api/auth/user": { status: 200, body: staff }, ...answers });
  const state = { failFrom: Infinity };
  const requests: Array<{ search: string; limit: number | undefined; cursor: string | undefined }> =
    [];
  const stateRequests: Array<{
    state: AccountState;
    limit: number | undefined;
    cursor: string | undefined;
  }> = [];
  const { revealAccountOperatorPassword, ...billing } = calls;
  const transport = createRouterTransport(({ service }) => {
    service(AccountsService, {
      listAccounts: ({ search, page }) => {
        requests.push({ search, limit: page?.limit, cursor: page?.cursor });
        const found = accounts.filter(({ company }) =>
          company.businessName.toLowerCase().includes(search.toLowerCase()),
        );
        const from = Number(page?.cursor ?? 0);
        const to = from + Number(page?.limit);
        if (from >= state.failFrom)
          throw refusal(Code.PermissionDenied, "", "No right to do this.");
        return {
          accounts: found.slice(from, to).map(({ company }) => company),
          page: { nextCursor: to < found.length ? String(to) : "" },
        };
      },
      ...(revealAccountOperatorPassword && { revealAccountOperatorPassword }),
    });
    service(BillingService, {
      listSubscriptions: ({ companyIds }) => ({
        subscriptions: accounts.flatMap(({ id, billed }) =>
          billed && companyIds.includes(id) ? [billed] : [],
        ),
      }),
      ...billing,
    });
    service(AccountsStaff, {
      findAccounts: ({ accountIds }) => ({
        accounts: accounts
          .filter(({ id }) => accountIds.includes(id))
          .map(({ company }) => company),
      }),
      getAccount: ({ accountId }) => {
        const found = accounts.find(({ id }) => id === accountId);
        if (!found) throw refusal(Code.NotFound, "", "Not found.");
        return { ...shown, account: found.company };
      },
    });
    service(BillingStaff, {
      listSubscriptionsInState: ({ state: wanted, page }) => {
        stateRequests.push({ state: wanted, limit: page?.limit, cursor: page?.cursor });
        const found = accounts.filter((one) => stateNames[stateOf(one) ?? ""] === wanted);
        const from = Number(page?.cursor ?? 0);
        const to = from + Number(page?.limit);
        return {
          subscriptions: found.slice(from, to).flatMap(({ billed }) => billed ?? []),
          page: { nextCursor: to < found.length ? String(to) : "" },
        };
      },
      listAccountEvents: () => ({ events: shown.events?.length ? planChanges : [] }),
    });
    service(EquipmentStaff, {
      countEquipment: ({ companyIds }) => {
        const found = accounts.filter(({ id }) => companyIds.includes(id));
        if (found.some(({ equipment }) => equipment === undefined)) {
          throw refusal(Code.Unimplemented, "", "Not in this release.");
        }
        return {
          counts: found.map(({ id, equipment }) => ({ companyId: id, active: equipment ?? 0 })),
        };
      },
    });
  });
  return { state, requests, stateRequests, ...(await renderApp(path, transport)) };
}

export const rows = async (count: number) => {
  const table = await screen.findByRole("table", { name: "Admin Accounts" });
  const all = () => within(table).getAllByRole("row").slice(1);
  await waitFor(() => expect(all().length).toBe(count));
  return all();
};
export const type = (label: string, value: string) =>
  fireEvent.change(screen.getByLabelText(label), { target: { value } });
export const press = (name: string) => fireEvent.click(screen.getByRole("button", { name }));
