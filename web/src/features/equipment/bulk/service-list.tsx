import { useTranslation } from "react-i18next";
import { Button } from "#/shared/ui/button";
import { Notice } from "#/shared/ui/notice";
import { UnitNumber } from "#/shared/ui/unit-number";
import { useEquipmentLabels } from "#/shared/words/use-equipment-labels";
import { useSnoozeTexts } from "../table/snooze-lines";
import { useDueText } from "../dialogs/use-due-text";
import type { Service } from "./services";

/** What counts as done for each machine, those that are due first. */
export function ServiceList({ services }: { services: readonly Service[] }) {
  const { t } = useTranslation();
  const due = services.filter(({ isDue }) => isDue);
  const notDue = services.filter(({ isDue }) => isDue === false);
  const unknown = services.filter(({ isDue }) => isDue === undefined);
  return (
    <div className="max-h-60 overflow-y-auto rounded-(--control-radius) border border-line">
      <Group title={t("equipment-bulk.serviced.due", { count: due.length })} services={due} />
      <Group
        title={t("equipment-bulk.serviced.notDue", { count: notDue.length })}
        services={notDue}
      />
      <Group
        title={t("equipment-bulk.serviced.unknown", { count: unknown.length })}
        services={unknown}
      />
    </div>
  );
}

function Group({ title, services }: { title: string; services: readonly Service[] }) {
  if (services.length === 0) return null;
  return (
    <>
      <p className="sticky top-0 bg-sunken px-3 py-1 text-sm font-semibold text-muted">{title}</p>
      <ul aria-label={title} className="divide-y divide-line">
        {services.map((service) => (
          <Row key={service.machine.id} service={service} />
        ))}
      </ul>
    </>
  );
}

/** "310SL — Regular service: 12 hours until service" */
function Row({ service: { machine, tasks, isDue } }: { service: Service }) {
  const { t } = useTranslation();
  const labels = useEquipmentLabels();
  const dueText = useDueText(machine);
  const snoozed = useSnoozeTexts()(machine);
  return (
    <li className="px-3 py-1.5 text-sm wrap-anywhere">
      <p className="font-semibold">
        <UnitNumber number={machine.unitNumber} />
        {machine.name}
      </p>
      {tasks.map((task) => (
        <p key={task.id}>
          {t("labels.due.task", {
            name: task.fromForm ? t("equipment-detail.tasks.regular") : task.name,
            text: dueText(task) || labels.noDue(machine),
          })}
        </p>
      ))}
      {snoozed.map((text) => (
        <p key={text} className="text-muted">
          {text}
        </p>
      ))}
      {tasks.length === 0 && isDue === false && (
        <p className="text-muted">{t("labels.badges.noPlan")}</p>
      )}
    </li>
  );
}

/** Offers to leave out the machines that are not due, unless none is. */
export function NotDueNotice({
  count,
  isAll,
  isLeftOut,
  onLeaveOut,
}: {
  count: number;
  isAll: boolean;
  isLeftOut: boolean;
  onLeaveOut: (on: boolean) => void;
}) {
  const { t } = useTranslation();
  return (
    <Notice>
      <p role="status">
        {isLeftOut
          ? t("equipment-bulk.serviced.leftOut", { count })
          : t("equipment-bulk.serviced.some", { count })}
      </p>
      {!isAll && (
        <Button size="small" className="mt-2" onClick={() => onLeaveOut(!isLeftOut)}>
          {isLeftOut
            ? t("equipment-bulk.serviced.include", { count })
            : t("equipment-bulk.serviced.leaveOut", { count })}
        </Button>
      )}
    </Notice>
  );
}
