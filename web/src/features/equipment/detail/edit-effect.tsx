import { timestampDate } from "@bufbuild/protobuf/wkt";
import { useTransport } from "@connectrpc/connect-query";
import { useQuery } from "@tanstack/react-query";
import { useId } from "react";
import { useTranslation } from "react-i18next";
import type { Equipment, HistoryRecord } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { dayIn } from "#/domain/calendar";
import { hasEarlierMeters } from "#/domain/dial";
import { unitWord } from "#/domain/equipment-wire";
import { FieldFrame } from "#/shared/form/field-frame";
import { useFormat } from "#/shared/format/use-format";
import { useCompanyDay, useCompanyZone } from "#/shared/use-company-day";
import { useEquipmentLabels } from "#/shared/words/use-equipment-labels";
import { dueNow, useDueText } from "../dialogs/due-after";
import { metersAround, type KnownMeters } from "../dialogs/meter-on";
import { NextService } from "../dialogs/next-services";
import { usageFromFirst, useFirstReading, useFirstReadingAfter } from "../dialogs/first-reading";
import { useAroundText, useMeterRecords } from "../dialogs/use-meters-around";
import { useDialText } from "../meters/use-dial-text";
import { dueAfterEdit } from "./edited-service";
import { tasksQuery } from "./queries";
import { useRecordWords } from "./use-record-words";

interface Edited {
  equipment: Equipment;
  record: HistoryRecord;
  /** The day as typed. */
  day: string;
}

/** The readings around the day of an edited service, without its own; undefined while they load. */
export function useMetersAroundEdit({ equipment, record, day }: Edited): KnownMeters | undefined {
  const zone = useCompanyZone();
  const records = useMeterRecords(equipment.id);
  const enteredAt = record.createdAt && timestampDate(record.createdAt);
  // A service of the day on which it was entered counts from the meter of that moment.
  const until = enteredAt && dayIn(zone, enteredAt) === day ? enteredAt : undefined;
  const others = records?.filter(({ id }) => id !== record.id);
  const first = useFirstReading(equipment);
  return others && metersAround(others, equipment, { day, zone, until, first });
}

/** The meter that counts on the day of an edited service. It can't be edited. */
export function EditedMeter({ around, ...edited }: Edited & { around: KnownMeters | undefined }) {
  const { t } = useTranslation();
  const id = useId();
  const format = useFormat();
  const labels = useEquipmentLabels();
  const dial = useDialText();
  const words = useRecordWords();
  const aroundText = useAroundText();
  const { equipment, record, day } = edited;
  const usage = usageOn(edited, around);
  const isTyped = record.reading !== undefined;
  const shown = () => {
    if (isTyped) return labels.amount(record.reading ?? 0, unitWord(record.unit));
    if (day === record.performedOn) return words.meter(record);
    if (usage === undefined) return "";
    const now = dial.life(equipment, usage);
    const before = ownUsage(equipment, record);
    return before === undefined || before === usage ? now : `${format.number(before)} → ${now}`;
  };
  const hints = [
    isTyped && t("equipment-detail.edit.meterTyped"),
    around && aroundText(around, equipment.unit),
    around && !isTyped && !around.before && t("equipment-detail.done.meterUnknown"),
  ];
  return (
    <FieldFrame
      id={id}
      label={t("equipment-detail.done.meter")}
      hint={hints.filter(Boolean).join(" ")}
      error={undefined}
    >
      <output id={id} aria-describedby={`${id}-hint`} className="block py-2">
        {shown() || "–"}
      </output>
    </FieldFrame>
  );
}

/** Why the meter of a service does not fit its new day: a later reading is lower. */
export function useAboveNextText({ unit }: Equipment) {
  const { t } = useTranslation();
  const format = useFormat();
  const labels = useEquipmentLabels();
  const amount = (value: number) => labels.amount(value, unitWord(unit));
  return (service: HistoryRecord, next: number, around: KnownMeters | undefined): string => {
    const read = around?.after?.dial === next ? around.after : undefined;
    return t("equipment-detail.edit.aboveNext", {
      meter: amount(service.reading ?? 0),
      next: read ? `${amount(next)} (${format.calendarDate(read.day)})` : amount(next),
    });
  };
}

/** What becomes of the next service if the day changes. */
export function EditedDue({ around, ...edited }: Edited & { around: KnownMeters | undefined }) {
  const { t } = useTranslation();
  const dueText = useDueText();
  const today = useCompanyDay();
  const { equipment, record, day } = edited;
  const records = useMeterRecords(equipment.id);
  const tasks = useQuery(tasksQuery(useTransport(), equipment.id)).data?.tasks;
  const usage = usageOn(edited, around);
  const first = useFirstReadingAfter(equipment, day);
  const task = tasks?.find(({ name }) => name === record.taskName);
  const due =
    task && records && day !== "" && day !== record.performedOn
      ? dueAfterEdit(
          task,
          records,
          {
            record,
            day,
            usage: usage ?? usageFromFirst(task, first),
            usageOf: (service) => ownUsage(equipment, service),
          },
          today,
        )
      : null;
  const value = task && due ? dueText(equipment, due, dueNow(task)) : "";
  return (
    <output className="block empty:hidden" aria-label={t("equipment-detail.done.next")}>
      {task && value !== "" && <NextService task={task} value={value} />}
    </output>
  );
}

/** Life-to-date usage that counts on the typed day; undefined: not known. */
function usageOn(
  { equipment, record, day }: Edited,
  around: KnownMeters | undefined,
): number | undefined {
  if (record.reading !== undefined || day === record.performedOn)
    return ownUsage(equipment, record);
  return around?.before?.usage;
}

/** Life-to-date usage a recorded service counts from; undefined: not known. */
function ownUsage(equipment: Equipment, { reading, usage, unit }: HistoryRecord) {
  if (unit !== equipment.unit) return undefined;
  if (reading === undefined) return usage;
  // The scale of an earlier meter is not known.
  return hasEarlierMeters(equipment) ? undefined : reading;
}
