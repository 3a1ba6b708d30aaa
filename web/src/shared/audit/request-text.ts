import type { TFunction } from "i18next";
import { key, type TextKey } from "#/i18n/key";

/** What a refused request was about: the first pattern that its route or RPC contains. */
const subjects: ReadonlyArray<readonly [RegExp, TextKey]> = [
  [/audit-log|AuditEvents/, key("audit-log.requests.auditLog")],
  [
    /admin\/accounts|ListAccounts|StaffService|Account(?:Operator|Events)|ListSubscriptions/,
    key("audit-log.requests.accounts"),
  ],
  [
    /subscription|checkout|billing|sandbox|BillingService|SandboxService/,
    key("audit-log.requests.subscription"),
  ],
  [/operator-updates|OperatorUpdatesService/, key("audit-log.requests.updates")],
  [/fuel|Fuel/, key("audit-log.requests.fuel")],
  [/task-sets|TaskSetService/, key("audit-log.requests.taskSets")],
  [/retired|Retired|Retire|Restore/, key("audit-log.requests.retired")],
  [/history|notes|History|Note|Entry/, key("audit-log.requests.history")],
  [/equipment|EquipmentService/, key("audit-log.requests.equipment")],
  [/devices|Device/, key("audit-log.requests.phones")],
  [/company|Company|SecondFactorRequired/, key("audit-log.requests.settings")],
  [
    /employees|reset-user|reset-second|Employee|CreateOperator|Manager|ResetUser|ResetSecond/,
    key("audit-log.requests.people"),
  ],
  [/OperatorPassword/, key("audit-log.requests.operatorPassword")],
  [/auth|user|AccountsService/, key("audit-log.requests.ownAccount")],
];

const reads = /^(?:GET|HEAD) |\/(?:Get|List|Find|Preview|Count|Watch|Reveal)/;

/** A refused request in words: whether it was to view or to change something, and what. */
export function requestText(t: TFunction, request: string): string {
  const subject = subjects.find(([pattern]) => pattern.test(request))?.[1];
  const what = t(subject ?? key("audit-log.requests.other"));
  return reads.test(request)
    ? t("audit-log.requests.view", { what })
    : t("audit-log.requests.change", { what });
}
