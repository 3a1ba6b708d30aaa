import { useTranslation } from "react-i18next";
import type { Equipment, TaskSnooze } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { useFormat } from "#/shared/format/use-format";
import { useDialText } from "../meters/use-dial-text";

type Machine = Pick<Equipment, "unit" | "currentUsage" | "meterReading">;

/** "Snoozed until: Mar 12, 2026. Parts ordered" */
export function useSnoozeText(): (equipment: Machine, snooze: TaskSnooze) => string {
  const { t } = useTranslation();
  const format = useFormat();
  const dial = useDialText();
  return (equipment, { untilDate, untilUsage, reason }) => {
    const date = () => format.calendarDate(untilDate);
    const until = untilUsage === undefined ? date() : dial.due(equipment, untilUsage);
    return t("equipment-detail.snooze.until", { until, reason });
  };
}

/** One text for each task of a machine that is snoozed. */
export function useSnoozeTexts(): (equipment: Equipment) => string[] {
  const { t } = useTranslation();
  const snoozeText = useSnoozeText();
  return (equipment) =>
    equipment.snoozedTasks.flatMap(({ name, snooze }) =>
      snooze
        ? t("equipment-detail.snooze.named", {
            name: name || t("equipment-detail.tasks.regular"),
            text: snoozeText(equipment, snooze),
          })
        : [],
    );
}

/** How often a service was missed, and which tasks are snoozed. */
export function ServiceNotes({ equipment }: { equipment: Equipment }) {
  const { t } = useTranslation();
  const snoozed = useSnoozeTexts()(equipment);
  return (
    <>
      {equipment.missedRounds > 0 && (
        <span className="block text-xs text-danger">
          {t("labels.due.task", {
            name: equipment.missedTask || t("equipment-detail.tasks.regular"),
            text: t("equipment-detail.snooze.missed", { count: equipment.missedRounds }),
          })}
        </span>
      )}
      {snoozed.map((text) => (
        <span key={text} className="block text-xs text-muted wrap-anywhere">
          {text}
        </span>
      ))}
    </>
  );
}
