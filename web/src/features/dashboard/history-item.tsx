import { timestampDate } from "@bufbuild/protobuf/wkt";
import { Link } from "@tanstack/react-router";
import {
  Archive,
  ArchiveRestore,
  CircleSlash,
  Gauge,
  NotebookPen,
  Pencil,
  RefreshCw,
  Wrench,
  type LucideIcon,
} from "lucide-react";
import { clsx } from "clsx";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import {
  HistoryKind,
  type HistoryRecord,
  type Voiding,
} from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { UnitNumber } from "#/shared/ui/unit-number";
import { fuelKindWord, unitWord } from "#/domain/equipment-wire";
import { useCorrectionText } from "#/shared/words/correction-text";
import { historyKindLabel } from "#/shared/words/history-kind";
import { useRecordTimes } from "#/shared/words/record-times";
import { useUpdateText } from "#/shared/words/update-text";
import { useEquipmentLabels } from "#/shared/words/use-equipment-labels";
import { useRecordText } from "#/shared/words/use-record-text";
import { useFormat } from "#/shared/format/use-format";

const icons: Partial<Record<HistoryKind, LucideIcon>> = {
  [HistoryKind.USAGE]: Gauge,
  [HistoryKind.SERVICE]: Wrench,
  [HistoryKind.EDIT]: Pencil,
  [HistoryKind.METER]: RefreshCw,
  [HistoryKind.RETIREMENT]: Archive,
  [HistoryKind.RESTORATION]: ArchiveRestore,
};

export function HistoryItem({
  record,
  unitNumber,
}: {
  record: HistoryRecord;
  unitNumber: string | undefined;
}) {
  const { t } = useTranslation();
  const times = useRecordTimes();
  const facts = useFacts(record);
  const corrected = useCorrectionText()(record);
  const content = useContent(record);
  const Icon = icons[record.kind] ?? NotebookPen;
  return (
    <li className="flex gap-3 px-4 py-3 md:px-5">
      <Icon aria-hidden className="mt-0.5 size-4 shrink-0 text-muted" />
      <div className="min-w-0 flex-1 text-sm">
        <p>
          <UnitNumber number={unitNumber} />
          <Link
            to="/equipment/item/$id"
            params={{ id: record.equipmentId }}
            className="font-semibold decoration-1 underline-offset-2 hover:underline"
          >
            {record.equipmentName}
          </Link>
          <span className="text-muted"> · {historyKindLabel(t, record)}</span>
          {record.taskName && <span className="text-muted">: {record.taskName}</span>}
        </p>
        <Reported voided={record.voiding !== undefined}>
          {facts && <span className="block">{facts}</span>}
          {content && <span className="block whitespace-pre-wrap">{content}</span>}
        </Reported>
        {corrected && (
          <MarkedLine icon={Pencil} className="text-muted">
            {corrected}
          </MarkedLine>
        )}
        {record.voiding && <VoidedLine voiding={record.voiding} />}
        <p className="mt-0.5 text-xs text-muted">
          {[record.operatorName, times.happened(record), times.entered(record)]
            .filter(Boolean)
            .join(" · ")}
        </p>
      </div>
    </li>
  );
}

function Reported({ voided, children }: { voided: boolean; children: ReactNode }) {
  return voided ? (
    <del className="block text-muted decoration-1">{children}</del>
  ) : (
    <div>{children}</div>
  );
}

function VoidedLine({ voiding }: { voiding: Voiding }) {
  const format = useFormat();
  const text = useRecordText();
  const { by, at } = voiding;
  return (
    <MarkedLine icon={CircleSlash}>
      {text.voided(by, at ? format.instantDay(timestampDate(at)) : "", voiding)}
    </MarkedLine>
  );
}

function MarkedLine({
  icon: Icon,
  className,
  children,
}: {
  icon: LucideIcon;
  className?: string;
  children: ReactNode;
}) {
  return (
    <p className={clsx("mt-0.5 flex gap-1.5 whitespace-pre-wrap", className)}>
      <Icon aria-hidden className="mt-0.5 size-4 shrink-0 text-muted" />
      {children}
    </p>
  );
}

/** "4,750 → 4,812.5 hours · 12.0 gal diesel" */
function useFacts(record: HistoryRecord): string {
  const { t } = useTranslation();
  const labels = useEquipmentLabels();
  const format = useFormat();
  const update = useUpdateText();
  const { kind, usage, usageBefore, reading } = record;
  const parts: string[] = [];
  if (usage !== undefined) {
    const now = labels.amount(usage, unitWord(record.unit));
    const moved = usageBefore !== undefined && usageBefore !== usage;
    const amount = moved ? `${format.number(usageBefore)} → ${now}` : now;
    // The dial differs from life-to-date usage after a replacement.
    const other = kind === HistoryKind.METER || (reading !== undefined && reading !== usage);
    parts.push(other ? t("labels.lifeToDate", { amount }) : amount);
  } else if (reading !== undefined) {
    // It arrived after a later reading: shown, but it did not change the meter.
    const amount = labels.amount(reading, unitWord(record.unit));
    parts.push(t("equipment-history.lateReading", { amount }));
  }
  if (record.fuelAdded > 0) {
    parts.push(update.fuel(record.fuelAdded, fuelKindWord(record.fuelKind), record.fullFill));
  }
  return parts.join(" · ");
}

function useContent({ kind, content }: HistoryRecord): string {
  const text = useRecordText();
  switch (kind) {
    case HistoryKind.EDIT:
      return text.edit(content);
    case HistoryKind.USAGE:
    case HistoryKind.METER:
      return text.update(content);
    case HistoryKind.SERVICE:
      return text.service(content);
    default:
      return content;
  }
}
