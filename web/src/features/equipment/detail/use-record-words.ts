import { timestampDate } from "@bufbuild/protobuf/wkt";
import type { TFunction } from "i18next";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import {
  HistoryKind,
  NoteType,
  type HistoryRecord,
  type Voiding,
} from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { fuelKindWord, unitWord } from "#/domain/equipment-wire";
import { useCorrectionText } from "#/shared/words/correction-text";
import { historyKindLabel } from "#/shared/words/history-kind";
import { useRecordTimes } from "#/shared/words/record-times";
import { useUpdateText } from "#/shared/words/update-text";
import { useEquipmentLabels } from "#/shared/words/use-equipment-labels";
import { useRecordText } from "#/shared/words/use-record-text";
import { useFormat } from "#/shared/format/use-format";
import { useSeveralMeters } from "../meters/several-meters";
import { useSeveralTasks } from "./several-tasks";

/** The texts of a ledger entry, shared by screen, export and print. */
export function useRecordWords() {
  const { t } = useTranslation();
  const format = useFormat();
  const labels = useEquipmentLabels();
  const update = useUpdateText();
  const text = useRecordText();
  const corrected = useCorrectionText();
  const times = useRecordTimes();
  const several = useSeveralMeters();
  const severalTasks = useSeveralTasks();
  return useMemo(() => {
    /** On the first meter, the dial is life-to-date usage, so a service has one figure: its own. */
    const shown = (record: HistoryRecord): HistoryRecord =>
      record.kind === HistoryKind.SERVICE && !several && record.reading !== undefined
        ? { ...record, usage: record.reading, usageBefore: record.reading }
        : record;
    const meter = (record: HistoryRecord): string => {
      const { kind, usage, usageBefore, reading, unit } = shown(record);
      if (usage === undefined) return "";
      const now = labels.amount(usage, unitWord(unit));
      const amount =
        usageBefore !== undefined && usageBefore !== usage
          ? `${format.number(usageBefore)} → ${now}`
          : now;
      // On the first meter, the dial and life-to-date usage are equal.
      return kind === HistoryKind.METER || (several && reading !== usage)
        ? t("labels.lifeToDate", { amount })
        : amount;
    };
    const task = ({ kind, taskName }: HistoryRecord): string =>
      taskName === "" && kind === HistoryKind.SERVICE && severalTasks
        ? t("equipment-detail.tasks.regular")
        : taskName;
    return {
      /** The name of the task that was done; empty for the only one of its machine. */
      task,
      /** "Service: Oil filter", "Note". */
      title: (record: HistoryRecord) =>
        [historyKindLabel(t, record), task(record)].filter((part) => part !== "").join(": "),
      kind: (record: HistoryRecord) => historyKindLabel(t, record),
      noteType: (record: HistoryRecord) =>
        record.kind === HistoryKind.NOTE ? noteTypeLabel(t, record.noteType) : "",
      source: (record: HistoryRecord) =>
        record.fromOperator ? t("common.roles.operator") : t("labels.office"),
      /** "4,750 → 4,812.5 hours"; empty when no reading counted. */
      meter,
      /** "+62.5 h"; empty when the meter did not move. */
      meterChange: (record: HistoryRecord) => {
        const { usage, usageBefore, unit } = shown(record);
        return usage === undefined || usageBefore === undefined || usage === usageBefore
          ? ""
          : update.difference(usageBefore, usage, unit);
      },
      /** What the dial showed, if it differs from life-to-date usage. */
      dial: (record: HistoryRecord) => {
        const { kind, reading, usage, unit } = shown(record);
        return kind === HistoryKind.METER ||
          reading === undefined ||
          usage === undefined ||
          reading === usage
          ? ""
          : t("equipment-meters.record.dial", { amount: labels.amount(reading, unitWord(unit)) });
      },
      /** A reading that arrived after a later one: it is shown, but it did not change the meter. */
      lateReading: (record: HistoryRecord) => {
        const { reading, usage, unit } = shown(record);
        return reading !== undefined && usage === undefined
          ? t("equipment-detail.record.lateReading", {
              amount: labels.amount(reading, unitWord(unit)),
            })
          : "";
      },
      fuel: ({ fuelAdded, fuelKind, fullFill }: HistoryRecord) =>
        fuelAdded > 0 ? update.fuel(fuelAdded, fuelKindWord(fuelKind), fullFill) : "",
      cost: ({ cost }: HistoryRecord) =>
        cost === undefined ? "" : format.cost(Math.round(cost * 100)),
      content: (record: HistoryRecord): string => {
        switch (record.kind) {
          case HistoryKind.EDIT:
            return text.edit(record.content);
          case HistoryKind.USAGE:
          case HistoryKind.METER:
            return text.update(record.content);
          case HistoryKind.SERVICE:
            // Cost and day are already shown beside it.
            return record.cost !== undefined || record.performedOn !== ""
              ? text.serviceNotes(record.content)
              : text.service(record.content);
          default:
            return record.content;
        }
      },
      corrected,
      ...times,
      voided: (voiding: Voiding) =>
        text.voided(
          voiding.by,
          voiding.at ? format.instantDay(timestampDate(voiding.at)) : "",
          voiding,
        ),
      /** The meter before and after voiding; empty if it did not change. */
      voidedMeter: (
        { usageBefore, usageAfter }: Voiding,
        unit: HistoryRecord["unit"],
        kind?: HistoryKind,
      ) =>
        usageBefore === undefined || usageAfter === undefined
          ? ""
          : several || kind === HistoryKind.METER
            ? t("equipment-meters.void.life", {
                before: format.number(usageBefore),
                after: labels.amount(usageAfter, unitWord(unit)),
              })
            : t("equipment-detail.void.meter", {
                before: format.number(usageBefore),
                after: labels.amount(usageAfter, unitWord(unit)),
              }),
    };
  }, [t, format, labels, update, text, corrected, times, several, severalTasks]);
}

function noteTypeLabel(t: TFunction, type: NoteType): string {
  switch (type) {
    case NoteType.MAINTENANCE:
      return t("equipment-dialogs.notes.maintenance");
    case NoteType.USAGE_UPDATE:
      return t("equipment-dialogs.notes.usageUpdate");
    case NoteType.NOTE:
    default:
      return t("equipment-detail.kinds.note");
  }
}
