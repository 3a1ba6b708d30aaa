import { clsx } from "clsx";
import {
  Archive,
  ArchiveRestore,
  ChevronDown,
  Gauge,
  NotebookPen,
  Pencil,
  RefreshCw,
  Wrench,
  type LucideIcon,
} from "lucide-react";
import { useId, useState, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { HistoryKind, type HistoryRecord } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { Badge } from "#/shared/ui/badge";
import { Button } from "#/shared/ui/button";
import { useRecordWords } from "./use-record-words";
import { ChangedLine, VoidedLine } from "./voided-line";

const icons: Partial<Record<HistoryKind, LucideIcon>> = {
  [HistoryKind.USAGE]: Gauge,
  [HistoryKind.SERVICE]: Wrench,
  [HistoryKind.EDIT]: Pencil,
  [HistoryKind.METER]: RefreshCw,
  [HistoryKind.RETIREMENT]: Archive,
  [HistoryKind.RESTORATION]: ArchiveRestore,
};

const voidable: ReadonlySet<HistoryKind> = new Set([
  HistoryKind.USAGE,
  HistoryKind.SERVICE,
  HistoryKind.NOTE,
  HistoryKind.METER,
]);

/**
 * Only usage, services, notes and replaced meters can be voided; edits, retirements and
 * restorations can't.
 */
function isVoidable({ kind, voiding }: HistoryRecord): boolean {
  return !voiding && voidable.has(kind);
}

/** One entry of the ledger, or the entries of a service of several tasks. */
export function RecordItem({
  record,
  parts,
  unusual = false,
  month,
  selectBox,
  onEdit,
  onVoid,
}: {
  record: HistoryRecord;
  /** The entries of the tasks of a service. */
  parts?: readonly HistoryRecord[];
  /** Whether its fuel was left out of the consumption. */
  unusual?: boolean | undefined;
  /** The heading of the month that begins with this entry. */
  month?: string | undefined;
  /** The checkbox while entries are selected. */
  selectBox?: ReactNode;
  /** Omitted where services can't be edited. */
  onEdit?: ((record: HistoryRecord) => void) | undefined;
  /** Omitted where entries can't be voided. */
  onVoid?: ((record: HistoryRecord) => void) | undefined;
}) {
  const { t } = useTranslation();
  const words = useRecordWords();
  const Icon = icons[record.kind] ?? NotebookPen;
  const noteType = words.noteType(record);
  const kind = words.kind(record);
  const content = words.content(record);
  const corrected = words.corrected(record);
  const { voiding } = record;
  const [open, setOpen] = useState(false);
  const partsId = useId();
  const isVisit = parts !== undefined && parts.length > 1;
  const facts = useFactTexts(record);
  // What was read says more than that something was.
  const isReading = record.kind === HistoryKind.USAGE && facts.length > 0;
  return (
    <li>
      {month !== undefined && (
        <h3 className="bg-sunken px-4 py-1.5 text-sm font-semibold text-muted first-letter:uppercase md:px-5">
          {month}
        </h3>
      )}
      <div
        data-row-key={selectBox ? record.id : undefined}
        className="flex gap-3 px-4 py-2.5 md:px-5"
      >
        {selectBox && <span className="mt-1.5">{selectBox}</span>}
        <span className="mt-0.5 grid size-8 shrink-0 place-items-center rounded-full bg-sunken text-muted">
          <Icon aria-hidden className="size-4" />
        </span>
        <div className="min-w-0 flex-1">
          <p className="flex flex-wrap items-center gap-x-2 gap-y-1">
            <span className={clsx("font-semibold", voiding && "line-through")}>
              {isReading ? <FactList facts={facts} /> : words.title(record)}
            </span>
            {noteType !== "" && noteType !== kind && <Badge>{noteType}</Badge>}
            {unusual && !voiding && <Badge>{t("fuel.consumption.unusual")}</Badge>}
            {record.replaces !== "" && !voiding && (
              <Badge>{t("equipment-detail.edit.badge")}</Badge>
            )}
            {voiding && (
              <Badge>
                {voiding.replacedBy === ""
                  ? t("equipment-detail.void.badge")
                  : t("equipment-detail.edit.replaced")}
              </Badge>
            )}
          </p>
          {!isReading && facts.length > 0 && (
            <p className={clsx(voiding && "text-muted line-through")}>
              <FactList facts={facts} />
            </p>
          )}
          {content !== "" && (
            <p className={clsx("whitespace-pre-wrap", voiding && "text-muted line-through")}>
              {content}
            </p>
          )}
          {corrected !== "" && <ChangedLine icon={Pencil} text={corrected} />}
          {voiding && <VoidedLine voiding={voiding} unit={record.unit} kind={record.kind} />}
          <ByLine record={record} kind={isReading ? kind : ""} />
          {open && isVisit && (
            <ul
              id={partsId}
              aria-label={t("equipment-detail.tasks.title")}
              className="no-print mt-2"
            >
              {parts.map((part) => (
                <li
                  key={part.id}
                  className="flex flex-wrap items-center justify-between gap-x-3 border-t border-line pt-1"
                >
                  <span className="min-w-0 wrap-anywhere">
                    {[part.taskName || t("equipment-detail.tasks.regular"), words.cost(part)]
                      .filter(Boolean)
                      .join(" · ")}
                  </span>
                  <span className="ml-auto flex">
                    <RecordActions record={part} what={part.taskName} {...{ onEdit, onVoid }} />
                  </span>
                </li>
              ))}
            </ul>
          )}
        </div>
        {isVisit && (onEdit ?? onVoid) && (
          <Button
            variant="quiet"
            size="small"
            className="no-print -mt-1 -mr-2 shrink-0 text-muted"
            aria-expanded={open}
            aria-controls={partsId}
            onClick={() => setOpen(!open)}
          >
            {t("equipment-detail.visit.tasks", { count: parts.length })}
            <ChevronDown aria-hidden className={clsx("size-4", open && "rotate-180")} />
          </Button>
        )}
        {!isVisit && (
          <div className="no-print -mt-1 -mr-2 flex shrink-0 flex-col self-start sm:flex-row">
            <RecordActions record={record} {...{ onEdit, onVoid }} />
          </div>
        )}
      </div>
    </li>
  );
}

function RecordActions({
  record,
  what = "",
  onEdit,
  onVoid,
}: Pick<Parameters<typeof RecordItem>[0], "record" | "onEdit" | "onVoid"> & {
  /** The task of a service of several tasks. */
  what?: string;
}) {
  const { t } = useTranslation();
  const words = useRecordWords();
  const kind = what === "" ? words.kind(record) : `${words.kind(record)}: ${what}`;
  return (
    <>
      {onEdit && record.kind === HistoryKind.SERVICE && !record.voiding && (
        <Button
          variant="quiet"
          size="small"
          className="text-muted"
          aria-label={t("equipment-detail.edit.actionFor", {
            kind,
            when: words.happened(record),
          })}
          onClick={() => onEdit(record)}
        >
          {t("equipment-detail.edit.action")}
        </Button>
      )}
      {onVoid && isVoidable(record) && (
        <Button
          variant="quiet"
          size="small"
          className="text-muted"
          aria-label={t("equipment-detail.void.actionFor", { kind, when: words.happened(record) })}
          onClick={() => onVoid(record)}
        >
          {t("equipment-detail.void.action")}
        </Button>
      )}
    </>
  );
}

/** "4,750 → 4,812.5 hours (+62.5 h)", "12.0 gal diesel", "$125.50" */
function useFactTexts(record: HistoryRecord): string[] {
  const words = useRecordWords();
  // The content of an edit already names its meter corrections.
  const meter = record.kind === HistoryKind.EDIT ? "" : words.meter(record);
  const change = meter === "" ? "" : words.meterChange(record);
  return [
    words.dial(record),
    change === "" ? meter : `${meter} (${change})`,
    words.lateReading(record),
    words.fuel(record),
    words.cost(record),
  ].filter((fact) => fact !== "");
}

/** The separators that would begin a line are outside of the box. */
function FactList({ facts, struck }: { facts: readonly string[]; struck?: string | undefined }) {
  return (
    <span className="block overflow-hidden">
      <span className="-ml-3 flex flex-wrap">
        {facts.map((fact, index) => (
          <span
            key={fact}
            className={clsx("relative min-w-0 pl-3", fact === struck && "line-through")}
          >
            {index > 0 && (
              <span aria-hidden className="absolute left-0 w-3 text-center text-muted">
                {" · "}
              </span>
            )}
            {fact}
          </span>
        ))}
      </span>
    </span>
  );
}

/** "Usage update · Maria López · Operator · Jan 5, 2025, 4:10 PM · entered Jan 6, 2025, 9:00 AM" */
function ByLine({ record, kind }: { record: HistoryRecord; kind: string }) {
  const words = useRecordWords();
  const parts = [
    kind,
    record.operatorName,
    words.source(record),
    words.happened(record),
    words.entered(record),
  ];
  return (
    <p className="mt-0.5 text-sm text-muted">
      <FactList
        facts={parts.filter((part) => part !== "")}
        struck={record.voiding ? kind : undefined}
      />
    </p>
  );
}
