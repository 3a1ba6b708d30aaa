import { timestampDate } from "@bufbuild/protobuf/wkt";
import { useTranslation } from "react-i18next";
import type { AuditEvent } from "#/api/gen/hourmeter/common/v1/audit_pb";
import { detailOf } from "#/shared/audit/detail-text";
import { sentenceOf } from "#/shared/audit/sentence";
import { useFormat } from "#/shared/format/use-format";
import { Card } from "#/shared/ui/card";

/** How the plan changed, and what support staff did. */
export function AccountEvents({ events }: { events: readonly AuditEvent[] }) {
  const { t } = useTranslation();
  return (
    <Card
      id="events"
      title={t("admin-accounts.page.events")}
      description={t("admin-accounts.page.eventsText")}
      flush={events.length > 0}
    >
      {events.length === 0 ? (
        <p className="text-muted">{t("admin-accounts.page.noEvents")}</p>
      ) : (
        <ul className="divide-y divide-line border-t border-line">
          {events.map((event) => (
            <Event key={event.id} event={event} />
          ))}
        </ul>
      )}
    </Card>
  );
}

function Event({ event }: { event: AuditEvent }) {
  const { t } = useTranslation();
  const format = useFormat();
  const { reason, text } = detailOf(t, event);
  const at = event.at && timestampDate(event.at);
  return (
    <li className="flex flex-wrap gap-x-6 gap-y-0.5 px-4 py-3 md:px-5">
      {at && (
        <time dateTime={at.toISOString()} className="w-48 shrink-0 text-sm text-muted">
          {format.instant(at)}
        </time>
      )}
      <div className="min-w-0 flex-1 basis-64">
        <p className="break-words">
          {sentenceOf(t, event).map((piece) =>
            piece.name ? (
              <b key={piece.place} className="font-semibold">
                {piece.text}
              </b>
            ) : (
              piece.text
            ),
          )}
        </p>
        {(reason ?? text) && (
          <p className="mt-0.5 text-sm break-words whitespace-pre-line text-muted">
            {reason ? t("audit-log.reason", { reason }) : text}
          </p>
        )}
      </div>
    </li>
  );
}
