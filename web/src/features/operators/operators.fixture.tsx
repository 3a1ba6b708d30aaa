import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError, createRouterTransport } from "@connectrpc/connect";
import { fireEvent, screen, waitFor, within } from "@testing-library/react";
import { useState } from "react";
import { expect } from "vitest";
import {
  AccountsService,
  Role,
  type DeviceSchema,
} from "#/api/gen/hourmeter/accounts/v1/accounts_pb";
import { BillingService } from "#/api/gen/hourmeter/billing/v1/billing_pb";
import { OperatorUpdatesService } from "#/api/gen/hourmeter/operator_updates/v1/operator_updates_pb";
import { sessionQuery } from "#/session/session";
import { currentToast } from "#/shared/toast/store";
import { owner, stubRest } from "#/test/render-app";
import { renderRouted } from "#/test/render-routed";
import { ResetDialog } from "#/features/admin-tools/reset-dialog";
import { OperatorsPage } from "./operators-page";

const createdAt = timestampFromDate(new Date(2026, 0, 5, 12));

export function operatorNamed(firstName: string, lastName: string, operatorUsername: string) {
  const id = `id-${operatorUsername}`;
  const hasPersonalPassword = false;
  return {
    id,
    firstName,
    lastName,
    role: Role.OPERATOR,
    operatorUsername,
    hasPersonalPassword,
    createdAt,
  };
}

export const maria = operatorNamed("Maria", "Lopez", "maria4821");
export const luis = {
  ...operatorNamed("Luis", "Ortíz", "luis3159"),
  hasPersonalPassword: true,
};
const ana = {
  id: "u1",
  firstName: "Ana",
  lastName: "Ruiz",
  role: Role.OWNER,
  email: "ana@acme.test",
  createdAt,
};
const zoe = {
  id: "m1",
  firstName: "Zoe",
  lastName: "Hill",
  role: Role.MANAGER,
  email: "zoe@acme.test",
  createdAt,
};

export const cardCode = "abcde-fghjk-mnpqr-stuvw";
export const sharedPassword = "dig-deep-77";
export const temporaryPassword = "kmvtr-qepzd-914";

/** Renders the page; returns the calls and the refusal of the next write. */
export async function openOperators({
  passwordSet = true,
  stale = false,
  active = true,
  as = "owner",
  operators = [maria],
  search = "",
  peopleFail = false,
  secondFactor = false,
  phones = [],
  phonesFail = false,
  lastReports = [],
  timeZone = "UTC",
}: {
  passwordSet?: boolean;
  stale?: boolean;
  active?: boolean;
  as?: "owner" | "manager";
  operators?: Array<ReturnType<typeof operatorNamed>>;
  search?: string;
  peopleFail?: boolean;
  /** Of the manager. */
  secondFactor?: boolean;
  phones?: Array<MessageInitShape<typeof DeviceSchema>>;
  phonesFail?: boolean;
  /** Ids of people, and when their newest report was received. */
  lastReports?: Array<[string, Date]>;
  /** Of the company. */
  timeZone?: string;
} = {}) {
  const self = as === "owner" ? owner : { ...owner, id: "m1", role: "manager" };
  stubRest({
    "GET /api/auth/user": { status: 200, body: { ...self, secondaryEmail: null, notices: [] } },
  });
  const calls: unknown[] = [];
  const state = {
    refuse: null as ConnectError | null,
    /** Of all, if empty. */
    refuseId: "",
  };
  const broken = { people: peopleFail, phones: phonesFail };
  const note = (...call: unknown[]) => {
    calls.push(call);
    if (state.refuse && (!state.refuseId || call.includes(state.refuseId))) throw state.refuse;
  };
  const transport = createRouterTransport(({ service }) => {
    service(AccountsService, {
      getCompanySettings: () => ({
        settings: {
          companyName: "Acme",
          timeZone,
          operatorPasswordSet: passwordSet,
          operatorPasswordStale: stale,
        },
      }),
      listEmployees: () => {
        if (broken.people) throw refusal("Not available.", Code.Unavailable);
        return { employees: [...operators, { ...zoe, secondFactor }, ana] };
      },
      listDevices: () => {
        if (broken.phones) throw refusal("Not available.", Code.Unavailable);
        return { devices: phones };
      },
      removeDevice: ({ id }) => {
        note("removeDevice", id);
        return {};
      },
      createOperator: ({ firstName, lastName }) => {
        note("create", firstName, lastName);
        return { employee: { ...maria, firstName, lastName, operatorUsername: "guillermo0917" } };
      },
      createManager: ({ firstName, lastName, email }) => {
        note("createManager", firstName, lastName, email);
        return { employee: { ...zoe, id: "m2", firstName, lastName, email }, temporaryPassword };
      },
      updateEmployee: ({ id, firstName, lastName }) => {
        note("update", id, firstName, lastName);
        return { employee: { ...maria, id, firstName, lastName } };
      },
      deleteEmployee: ({ id }) => {
        note("delete", id);
        return {};
      },
      resetSecondFactor: ({ userId }) => {
        note("resetSecondFactor", userId);
        return {};
      },
      updateCompanySettings: ({ operatorPassword, companyName }) => {
        note("settings", operatorPassword, companyName);
        return {};
      },
      createCardCodes: ({ operatorIds }) => {
        note("codes", ...operatorIds);
        return { codes: operatorIds.map((operatorId) => ({ operatorId, code: cardCode })) };
      },
      revealOperatorPassword: () => {
        note("reveal");
        return { operatorPassword: sharedPassword };
      },
    });
    service(OperatorUpdatesService, {
      listLastReports: () => ({
        reports: lastReports.map(([operatorId, at]) => ({
          operatorId,
          receivedAt: timestampFromDate(at),
        })),
      }),
    });
    service(BillingService, {
      getSubscription: () => ({ subscription: { entitlements: { active } } }),
    });
  });
  const { queryClient, view } = await renderRouted(<Page search={search} />, transport);
  await queryClient.fetchQuery(sessionQuery);
  await screen.findByText("Acme");
  if (!peopleFail) {
    await screen.findByRole("heading", { name: `Operators (${operators.length})` });
  }
  return { calls, state, broken, queryClient, view };
}

function Page({ search: first }: { search: string }) {
  const [search, setSearch] = useState<string | undefined>(first);
  return <OperatorsPage search={search} onSearch={setSearch} resetDialog={ResetDialog} />;
}

export const press = (name: string | RegExp) =>
  fireEvent.click(screen.getAllByRole("button", { name })[0] ?? document.body);
export const type = (name: string, value: string) =>
  fireEvent.change(screen.getByLabelText(name), { target: { value } });
export const inDialog = () => within(screen.getByRole("dialog"));
export const submit = (name: string | RegExp) =>
  fireEvent.click(inDialog().getByRole("button", { name }));

export async function expectToast(title: string, text?: string) {
  await waitFor(() => expect(currentToast()?.title).toBe(title));
  if (text !== undefined) expect(currentToast()?.description).toBe(text);
}

export function refusal(message: string, code = Code.FailedPrecondition): ConnectError {
  return new ConnectError(message, code);
}
