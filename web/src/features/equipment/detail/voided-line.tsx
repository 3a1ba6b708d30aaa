import { CircleSlash, Pencil, type LucideIcon } from "lucide-react";
import {
  MeterUnit,
  type HistoryKind,
  type Voiding,
} from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { useRecordWords } from "./use-record-words";

export function VoidedLine({
  voiding,
  unit,
  kind,
}: {
  voiding: Voiding;
  unit?: MeterUnit;
  /** The entry's dial; after a replacement it differs from life-to-date usage. */
  kind?: HistoryKind;
}) {
  const words = useRecordWords();
  const meter = words.voidedMeter(voiding, unit ?? MeterUnit.UNSPECIFIED, kind);
  return (
    <ChangedLine
      icon={voiding.replacedBy === "" ? CircleSlash : Pencil}
      text={words.voided(voiding)}
      more={meter}
    />
  );
}

/** What someone changed about an entry. */
export function ChangedLine({
  icon: Icon,
  text,
  more = "",
}: {
  icon: LucideIcon;
  text: string;
  more?: string;
}) {
  return (
    <p className="mt-1 flex gap-2 text-sm">
      <Icon aria-hidden className="mt-0.5 size-4 shrink-0 text-muted" />
      <span className="min-w-0 whitespace-pre-wrap">
        {text}
        {more !== "" && <span className="block text-muted">{more}</span>}
      </span>
    </p>
  );
}
