import { timestampDate, timestampMs } from "@bufbuild/protobuf/wkt";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import { HistoryKind, type HistoryRecord } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { fileDate } from "../csv/file-date";
import { useFormat } from "../format/use-format";

/** When a ledger entry happened and when it was entered. */
export function useRecordTimes() {
  const { t } = useTranslation();
  const format = useFormat();
  return useMemo(() => {
    const when = ({ createdAt }: HistoryRecord): string =>
      createdAt ? format.instant(timestampDate(createdAt)) : "";
    /** Empty if it was entered at the same time. */
    const readAt = ({ kind, capturedAt, createdAt }: HistoryRecord): string =>
      // A service has a day of its own, and an edit reads no meter.
      kind !== HistoryKind.SERVICE &&
      kind !== HistoryKind.EDIT &&
      capturedAt &&
      createdAt &&
      Math.abs(timestampMs(createdAt) - timestampMs(capturedAt)) >= 60_000
        ? format.instant(timestampDate(capturedAt))
        : "";
    /** Empty if it was entered on the same day. */
    const performedOn = ({ performedOn: day, createdAt }: HistoryRecord): string =>
      day === "" || (createdAt && day === fileDate(timestampDate(createdAt)))
        ? ""
        : format.calendarDate(day);
    const happened = (record: HistoryRecord) => readAt(record) || performedOn(record);
    return {
      /** When it was entered. */
      when,
      /** When it was done or read. */
      happened: (record: HistoryRecord) => happened(record) || when(record),
      /** When it was entered; empty if it happened then. */
      entered: (record: HistoryRecord) =>
        happened(record) === "" ? "" : t("equipment-detail.record.entered", { when: when(record) }),
    };
  }, [t, format]);
}
