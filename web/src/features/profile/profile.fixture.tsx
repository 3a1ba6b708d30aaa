import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError, createRouterTransport } from "@connectrpc/connect";
import { fireEvent, screen } from "@testing-library/react";
import {
  AccountsService,
  Role,
  Scope,
  type UserSchema,
} from "#/api/gen/hourmeter/accounts/v1/accounts_pb";
import {
  BillingService,
  SubscriptionStatus,
  Tier,
} from "#/api/gen/hourmeter/billing/v1/billing_pb";
import { EquipmentService } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { DigestService } from "#/api/gen/hourmeter/notifications/v1/digest_pb";
import { NotificationsService } from "#/api/gen/hourmeter/notifications/v1/notifications_pb";
import { SettingsService } from "#/api/gen/hourmeter/notifications/v1/settings_pb";
import { operator, owner, renderApp, stubRest, type Call } from "#/test/render-app";

type Person = MessageInitShape<typeof UserSchema>;

export const dana: Person = {
  firstName: "Dana",
  lastName: "Ruiz",
  email: "dana@acme.test",
  role: Role.OWNER,
  scope: Scope.FULL,
  businessName: "Acme Earthworks",
  createdAt: timestampFromDate(new Date(2026, 6, 3, 12)),
};

export const maria: Person = {
  firstName: "Maria",
  lastName: "Lopez",
  role: Role.OPERATOR,
  scope: Scope.OPERATOR,
  operatorUsername: "maria4821",
  businessName: "Acme Earthworks",
};

/** The fields that are set; 0 is an unspecified value of an enum. */
const present = (message: object) =>
  Object.fromEntries(
    Object.entries(message).filter(
      ([name, value]) => !name.startsWith("$") && value !== undefined && value !== 0,
    ),
  );

type PasswordAnswer = (call: Call) => { status: number; body?: unknown };

export async function open(
  user: Person,
  more: {
    fail?: boolean;
    password?: PasswordAnswer;
    settingsReady?: Promise<void>;
    digestRefused?: ConnectError;
    /** A link in the mail has ended the digest of these days. */
    formerWeekdays?: number[];
    /** The person has chosen machines to watch. */
    chosenMachines?: boolean;
  } = {},
) {
  const session = user.role === Role.OPERATOR ? operator : owner;
  const rest = stubRest({
    "GET /api/auth/user": { status: 200, body: session },
    "POST /api/auth/reauth": { status: 204 },
    "PATCH /api/user/profile": { status: 200, body: session },
    "PATCH /api/user/change-password": more.password ?? { status: 204 },
  });
  const state = {
    fail: more.fail ?? false,
    user: { ...user },
    refuse: [] as Array<ConnectError | null>,
    refuseCompany: null as ConnectError | null,
    refuseDigest: more.digestRefused ?? null,
  };
  const calls: object[] = [];
  const settings = () => ({
    companyName: state.user.businessName ?? "",
    timeZone: "America/Mexico_City",
    operatorPasswordSet: true,
    createdAt: timestampFromDate(new Date(2026, 6, 3, 12)),
  });
  const transport = createRouterTransport(({ service }) => {
    service(AccountsService, {
      getCurrentUser: () => {
        if (state.fail) throw new ConnectError("Not now.", Code.Internal);
        return { user: state.user };
      },
      updateProfile: (request) => {
        calls.push(present(request));
        const refusal = state.refuse.shift();
        if (refusal) throw refusal;
        Object.assign(state.user, present(request));
        return { user: state.user };
      },
      getSecondFactor: () => ({ secondFactor: {} }),
      getCompanySettings: async () => {
        await more.settingsReady;
        return { settings: settings() };
      },
      updateCompanySettings: ({ companyName = "" }) => {
        calls.push({ companyName });
        if (state.refuseCompany) throw state.refuseCompany;
        state.user.businessName = companyName;
        return { settings: settings() };
      },
    });
    service(BillingService, {
      getSubscription: () => ({
        subscription: {
          entitlements: {
            tier: Tier.PROFESSIONAL,
            status: SubscriptionStatus.ACTIVE,
            active: true,
          },
        },
      }),
    });
    service(NotificationsService, {
      sendAddressVerification: () => {
        calls.push({ mailed: true });
        return { sandbox: true };
      },
    });
    service(SettingsService, { getWatch: () => (more.chosenMachines ? { watch: {} } : {}) });
    service(DigestService, {
      getDigestSchedule: () => {
        if (state.refuseDigest) throw state.refuseDigest;
        const { formerWeekdays = [] } = more;
        const weekdays = formerWeekdays.length > 0 ? [] : [1, 2, 3, 4, 5];
        return { schedule: { minute: 425, weekdays }, formerWeekdays };
      },
      setDigestSchedule: ({ schedule }) => {
        calls.push(present(schedule ?? {}));
        if (state.refuseDigest) throw state.refuseDigest;
        return {};
      },
      sendDigest: () => {
        calls.push({ digest: true });
        if (state.refuseDigest) throw state.refuseDigest;
        return { sandbox: true };
      },
    });
    service(EquipmentService, { getSummary: () => ({ total: 12, equipmentLimit: 30 }) });
  });
  const app = await renderApp("/profile", transport);
  await screen.findByRole("heading", { level: 1, name: "Profile" });
  return { state, calls, rest, ...app };
}

export const fact = (label: string) => screen.getByText(label).nextElementSibling?.textContent;
export const press = (name: string) => fireEvent.click(screen.getByRole("button", { name }));
export const field = (name: RegExp | string) => screen.getByLabelText<HTMLInputElement>(name);
export const type = (name: RegExp | string, value: string) =>
  fireEvent.change(field(name), { target: { value } });
export const sessions = (rest: Call[]) =>
  rest.filter((call) => call.path === "/api/auth/user").length;

export async function edit() {
  fireEvent.click(await screen.findByRole("button", { name: "Edit profile" }));
}
