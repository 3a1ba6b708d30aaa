import { Link } from "@tanstack/react-router";
import { clsx } from "clsx";
import {
  Building2,
  KeyRound,
  LogIn,
  ShieldAlert,
  Tractor,
  CircleHelp,
  CircleX,
  Hourglass,
  type LucideIcon,
} from "lucide-react";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import type { AuditCategory } from "#/shared/audit/audit-categories";
import { auditWord } from "#/shared/audit/audit-words";
import type { Column } from "#/shared/table/column";
import { detailOf } from "#/shared/audit/detail-text";
import type { AuditEvent } from "#/api/gen/hourmeter/common/v1/audit_pb";
import { sentenceOf } from "#/shared/audit/sentence";
import { isUnfinished, useOutcomeText } from "./use-outcome-text";
import { instantOf, useZonedTime } from "./use-zoned-time";

/** On a card, what happened comes first; time and network are below it. */
export function useAuditColumns(zone: string): ReadonlyArray<Column<AuditEvent>> {
  const { t } = useTranslation();
  return useMemo(
    () => [
      {
        id: "when",
        header: t("audit-log.columns.when"),
        card: "line",
        cell: (event) => <WhenCell at={instantOf(event)} zone={zone} />,
        cardCell: (event) => <WhenAndWhere event={event} zone={zone} />,
      },
      {
        id: "what",
        header: t("audit-log.columns.what"),
        card: "title",
        cell: (event) => <WhatCell event={event} />,
      },
      {
        id: "network",
        header: t("audit-log.columns.network"),
        card: "none",
        cell: (event) => <NetworkCell prefix={event.addressPrefix} />,
      },
    ],
    [t, zone],
  );
}

function WhenCell({ at, zone }: { at: string; zone: string }) {
  const time = useZonedTime(zone);
  return (
    <time dateTime={at} title={time.exact(at)} className="block">
      <span className="block whitespace-nowrap">{time.day(at)}</span>
      <span className="block text-xs whitespace-nowrap text-muted">{time.time(at)}</span>
    </time>
  );
}

/** A card combines two columns of the table in one line. */
function WhenAndWhere({ event, zone }: { event: AuditEvent; zone: string }) {
  const { addressPrefix } = event;
  const at = instantOf(event);
  const time = useZonedTime(zone);
  return (
    <p className="flex flex-wrap gap-x-3 pl-7 text-sm text-muted">
      <time dateTime={at} title={time.exact(at)}>
        {time.day(at)}, {time.time(at)}
      </time>
      {addressPrefix && <span className="font-mono wrap-anywhere">{addressPrefix}</span>}
    </p>
  );
}

const icons: Record<AuditCategory, LucideIcon> = {
  access: LogIn,
  people: KeyRound,
  equipment: Tractor,
  company: Building2,
  refused: ShieldAlert,
};

/** Whether the event is about a machine whose history can be read, also from the archive. */
function hasHistory({ event, outcome, targetId, targetName }: AuditEvent): boolean {
  const kept = event === "equipment_retired" || event === "equipment_restored";
  return kept && outcome === "success" && Boolean(targetId && targetName);
}

function WhatCell({ event }: { event: AuditEvent }) {
  const { t } = useTranslation();
  const category = auditWord(event.event)?.category;
  const Icon = category ? icons[category] : CircleHelp;
  const { reason, text } = detailOf(t, event);
  const notes = [text, event.scope === "operator" && t("audit-log.operatorSession")].filter(
    (note) => typeof note === "string",
  );
  return (
    <div className="flex min-w-0 gap-3">
      <Icon aria-hidden className="mt-0.5 size-4 shrink-0 text-muted" />
      <div className="min-w-0">
        <p className="max-w-prose break-words">
          {sentenceOf(t, event).map((piece) =>
            piece.name ? (
              <b key={piece.place} className="font-semibold">
                {piece.text}
              </b>
            ) : (
              piece.text
            ),
          )}{" "}
          <Outcome event={event} />
        </p>
        {reason && (
          <p className="mt-0.5 max-w-prose break-words whitespace-pre-line text-muted">
            {t("audit-log.reason", { reason })}
          </p>
        )}
        {hasHistory(event) && (
          <Link
            to="/equipment/item/$id"
            params={{ id: event.targetId ?? "" }}
            search={{ tab: "history" }}
            className="mt-0.5 inline-block text-sm font-semibold text-accent underline underline-offset-3 hover:text-accent-hover"
          >
            {t("audit-log.history", { name: event.targetName })}
          </Link>
        )}
        {notes.length > 0 && (
          <p className="mt-0.5 text-xs break-words text-muted">{notes.join(" · ")}</p>
        )}
      </div>
    </div>
  );
}

/** Successful events have no badge. */
function Outcome({ event }: { event: AuditEvent }) {
  const text = useOutcomeText();
  if (event.outcome === "success") return null;
  const limited = event.outcome === "limited" || isUnfinished(event);
  const Icon = limited ? Hourglass : CircleX;
  return (
    <span
      className={clsx(
        "ml-1 inline-flex items-center gap-1 rounded-full border px-2 py-px align-middle text-xs font-semibold whitespace-nowrap",
        limited ? "border-control-line text-ink" : "border-danger text-danger",
      )}
    >
      <Icon aria-hidden className="size-3.5" />
      {text(event)}
    </span>
  );
}

function NetworkCell({ prefix }: { prefix: string }) {
  const { t } = useTranslation();
  return prefix ? (
    <span className="font-mono text-sm wrap-anywhere">{prefix}</span>
  ) : (
    <span className="text-muted">{t("audit-log.noNetwork")}</span>
  );
}
