import { timestampDate } from "@bufbuild/protobuf/wkt";
import { clsx } from "clsx";
import { useTranslation } from "react-i18next";
import { SecurityEventKind } from "#/api/gen/hourmeter/notifications/v1/notifications_pb";
import { audienceOf } from "#/domain/permissions";
import { key, type TextKey } from "#/i18n/key";
import { useSession } from "#/session/session";
import { useFormat } from "#/shared/format/use-format";
import { PageLink } from "#/shared/ui/page-link";
import { useReasonText } from "#/shared/words/reject-reasons";
import { useWhen } from "#/shared/words/use-when";
import type { NotificationRow } from "./queries";

/** The notifications by day. */
export function NotificationList({
  rows,
  onOpen,
}: {
  rows: readonly NotificationRow[];
  onOpen: (row: NotificationRow) => void;
}) {
  const when = useWhen();
  const days = Map.groupBy(rows, ({ at }) => when.day(at));
  return [...days].map(([day, ofDay]) => (
    <section key={day} aria-label={day} className="border-t border-line first:border-t-0">
      <h2 className="bg-sunken px-4 py-1.5 text-sm font-semibold text-muted md:px-5">{day}</h2>
      <ul className="divide-y divide-line">
        {ofDay.map((row) => (
          <li key={row.id}>
            <Item row={row} onOpen={() => onOpen(row)} />
          </li>
        ))}
      </ul>
    </section>
  ));
}

function Item({ row, onOpen }: { row: NotificationRow; onOpen: () => void }) {
  const { t } = useTranslation();
  const format = useFormat();
  const { to, sentence, detail } = useContent(row);
  return (
    <PageLink
      to={to}
      onClick={onOpen}
      className="flex gap-3 px-4 py-3.5 hover:bg-sunken focus-visible:-outline-offset-2 md:px-5"
    >
      <span
        aria-hidden
        className={clsx("mt-1.5 size-2.5 shrink-0 rounded-full bg-accent", row.read && "invisible")}
      />
      <span className="min-w-0 flex-1 wrap-anywhere">
        {!row.read && (
          <>
            <span className="sr-only">{t("notifications.unread")}:</span>{" "}
          </>
        )}
        <span className={clsx(!row.read && "font-semibold")}>{sentence}</span>
        {detail && (
          <>
            {" "}
            <span className="block text-muted">{detail}</span>
          </>
        )}
      </span>{" "}
      <time dateTime={row.at.toISOString()} className="shrink-0 text-sm text-muted">
        {format.time(row.at)}
      </time>
    </PageLink>
  );
}

const flagTexts: Partial<Record<string, TextKey>> = {
  below_meter: key("notifications.flags.below_meter"),
  jump: key("notifications.flags.jump"),
  contradicts: key("notifications.flags.contradicts"),
  fuel_high: key("notifications.flags.fuel_high"),
  wrong_fuel: key("notifications.flags.wrong_fuel"),
  wrong_unit: key("notifications.flags.wrong_unit"),
  repeated: key("notifications.flags.repeated"),
  refused: key("notifications.flags.refused"),
  removed_device: key("notifications.flags.removed_device"),
  removed_person: key("notifications.flags.removed_person"),
};

const securityTexts: Record<SecurityEventKind, TextKey> = {
  [SecurityEventKind.UNSPECIFIED]: key("notifications.security.other"),
  [SecurityEventKind.NEW_BROWSER]: key("notifications.security.new_browser"),
  [SecurityEventKind.PASSWORD_CHANGED]: key("notifications.security.password_changed"),
  [SecurityEventKind.PASSWORD_RECOVERED]: key("notifications.security.password_recovered"),
  [SecurityEventKind.PASSWORD_RESET]: key("notifications.security.password_reset"),
  [SecurityEventKind.EMAIL_CHANGED]: key("notifications.security.email_changed"),
  [SecurityEventKind.AUTHENTICATOR_ADDED]: key("notifications.security.authenticator_added"),
  [SecurityEventKind.SECOND_FACTOR_OFF]: key("notifications.security.second_factor_off"),
  [SecurityEventKind.SECOND_FACTOR_RESET]: key("notifications.security.second_factor_reset"),
  [SecurityEventKind.RECOVERY_CODE_USED]: key("notifications.security.recovery_code_used"),
  [SecurityEventKind.RECOVERY_CODES_REPLACED]: key(
    "notifications.security.recovery_codes_replaced",
  ),
  [SecurityEventKind.PASSKEY_ADDED]: key("notifications.security.passkey_added"),
  [SecurityEventKind.PASSKEY_REMOVED]: key("notifications.security.passkey_removed"),
};

const statusTexts: Partial<Record<string, TextKey>> = {
  in_use: key("notifications.status.in_use"),
  standing: key("notifications.status.standing"),
  in_shop: key("notifications.status.in_shop"),
  out_of_service: key("notifications.status.out_of_service"),
};
/** Their sentence has the person. */
const personStatuses = new Set(["in_shop", "out_of_service"]);

function useContent({ what }: NotificationRow) {
  const { t } = useTranslation();
  const format = useFormat();
  const reasonText = useReasonText();
  const isOperator = audienceOf(useSession()) === "operator";
  switch (what.case) {
    case "flaggedUpdate": {
      const { updateId, operatorName: operator, equipmentName: machine, flags } = what.value;
      // Unknown flags of a newer server get a generic text.
      const texts = flags.map((flag) => t(flagTexts[flag] ?? key("notifications.flags.other")));
      return {
        to: `/review?update=${updateId}`,
        sentence: t("notifications.flagged", { operator, machine }),
        detail: texts.join(" · "),
      };
    }
    case "returnedUpdate": {
      const { returnedBy: manager, equipmentName: machine, reason, voided } = what.value;
      return {
        // The operator page shows rejected updates first.
        to: "/",
        sentence: t(voided ? "notifications.voided" : "notifications.returned", {
          manager,
          machine,
        }),
        detail: reason && `“${reasonText(reason)}”`,
      };
    }
    case "securityEvent": {
      const { kind, browser } = what.value;
      // Unknown kinds of a newer server get a generic text.
      const text: TextKey | undefined = securityTexts[kind];
      return {
        to: "/profile",
        sentence: t(text ?? key("notifications.security.other")),
        detail: browser,
      };
    }
    case "failedPayment": {
      const until = what.value.accessUntil;
      return {
        to: "/subscription",
        sentence: t("notifications.payment"),
        detail:
          until &&
          t("notifications.paymentUntil", {
            date: format.instantDay(timestampDate(until)),
          }),
      };
    }
    case "limitReached":
      return {
        to: "/subscription",
        sentence: t("notifications.limit", { limit: format.number(what.value.limit) }),
        detail: t("notifications.limitText"),
      };
    case "statusChange": {
      const { equipmentId, equipmentName: machine, status, changedBy: person } = what.value;
      return {
        // Operators have no pages of machines.
        to: isOperator ? "/" : `/equipment/item/${equipmentId}`,
        // Unknown statuses of a newer server get a generic text.
        sentence: t(statusTexts[status] ?? key("notifications.status.other"), { machine, person }),
        detail: personStatuses.has(status) ? "" : t("notifications.status.by", { person }),
      };
    }
  }
}
