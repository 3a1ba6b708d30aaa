import type { Transport } from "@connectrpc/connect";
import { createQueryOptions, useTransport } from "@connectrpc/connect-query";
import { useQuery } from "@tanstack/react-query";
import { companySettingsQuery } from "#/api/company-settings";
import { employeesQuery } from "#/api/employees";
import { equipmentSummaryQuery } from "#/api/equipment-summary";
import { subscriptionQuery } from "#/api/subscription";
import { AccountsService, Role } from "#/api/gen/hourmeter/accounts/v1/accounts_pb";
import { EquipmentService, HistoryKind } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { useSession } from "#/session/session";

const { listHistory } = EquipmentService.method;

export const stepNames = [
  "machines",
  "password",
  "operator",
  "card",
  "reading",
  "name",
  "email",
  "questions",
] as const;

export type StepName = (typeof stepNames)[number];

/** What the first steps need besides the dashboard's queries. */
export const stepsQueries = (transport: Transport) => ({
  person: createQueryOptions(AccountsService.method.getCurrentUser, {}, { transport }),
  people: employeesQuery(transport),
  lastReading: createQueryOptions(
    listHistory,
    { kinds: [HistoryKind.USAGE], page: { limit: 1 } },
    { transport },
  ),
  subscription: subscriptionQuery(transport),
});

/** Which steps are done, from the company's data; null while loading. */
export function useSteps(): Record<StepName, boolean> | null {
  const transport = useTransport();
  const user = useSession();
  const summary = useQuery(equipmentSummaryQuery(transport));
  const settings = useQuery(companySettingsQuery(transport));
  const { person: personQuery, people: peopleQuery, lastReading } = stepsQueries(transport);
  const person = useQuery(personQuery);
  const people = useQuery(peopleQuery);
  const readings = useQuery(lastReading);
  if ([summary, settings, person, people, readings].some(({ isPending }) => isPending)) return null;
  const operators = people.data?.employees.filter(({ role }) => role === Role.OPERATOR) ?? [];
  return {
    machines: (summary.data?.total ?? 0) > 0,
    password: settings.data?.settings?.operatorPasswordSet ?? false,
    operator: operators.length > 0,
    card: operators.length > 0 && !user?.notices.some(({ kind }) => kind === "first_cards"),
    reading: (readings.data?.records.length ?? 0) > 0,
    name: Boolean(user?.firstName),
    email: person.data?.user?.emailVerified ?? false,
    questions: user?.securityQuestionsSet ?? false,
  };
}
