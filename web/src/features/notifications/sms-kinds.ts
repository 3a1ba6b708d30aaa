import { key } from "#/i18n/key";

const flagged = { name: "flaggedSms", label: key("notifications.settings.flagged") } as const;
const returned = { name: "returnedSms", label: key("notifications.settings.returned") } as const;
const status = { name: "statusSms", label: key("notifications.settings.status") } as const;

/** What can be sent as text messages. */
export const smsKinds = (isOperator: boolean) => [isOperator ? returned : flagged, status];
