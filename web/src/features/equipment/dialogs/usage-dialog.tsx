import type { TFunction } from "i18next";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useErrorText } from "#/api/error-text";
import { EquipmentService, type Equipment } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { equipmentFuelWord, unitWord } from "#/domain/equipment-wire";
import { presetFuelKind } from "#/domain/equipment-words";
import { useEquipmentLabels } from "#/shared/words/use-equipment-labels";
import { numberedName } from "#/shared/words/numbered-name";
import { FormDialog } from "#/shared/form/form-dialog";
import { showFieldErrors, useAppForm } from "#/shared/form/use-app-form";
import { useWrite } from "#/shared/form/use-write";
import { key } from "#/i18n/key";
import { withTexts } from "#/i18n/lazy-with-texts";
import { toast } from "#/shared/toast/store";
import { dialogOnDemand } from "#/shared/ui/dialog-on-demand";
import { momentText } from "../meters/moment";
import { MovedNotice } from "../meters/moved-notice";
import { useSeen } from "../meters/use-seen";
import { useRefreshEquipment } from "../queries";
import { changesOnlyHistory, NewTotal } from "./new-total";
import { UsageFields } from "./usage-fields";
import { useUndoEntries } from "./use-undo-changes";
import { usageQuestion, type UsageQuestion } from "./usage-question";
import { toUsageRequest, usageSchema, type UsageValues } from "./usage-schema";

type UsageStart = "increase" | "reading" | "fuel";

export function UsageDialog({
  equipment,
  start: asked = "increase",
  at,
  onClose,
}: {
  equipment: Equipment;
  /** What the form asks for first; always fuel without a meter. */
  start?: UsageStart;
  /** When the meter was read; now by default. */
  at?: Date | undefined;
  onClose: () => void;
}) {
  const { t } = useTranslation();
  const labels = useEquipmentLabels();
  const errorText = useErrorText();
  const refresh = useRefreshEquipment();
  const undo = useUndoEntries();
  const { seen, moved, forget, explains, lookAgain } = useSeen(equipment);
  const [opened] = useState(() => new Date());
  const [question, setQuestion] = useState<UsageQuestion | null>(null);
  const navigate = useNavigate();
  const unit = unitWord(seen.unit);
  const start = hasMeter(equipment) ? asked : "fuel";
  const title = titleOf(t, start);
  const form = useAppForm<UsageValues>(usageSchema, {
    way: isNeverRead(seen) || (start === "reading" && hasMeter(seen)) ? "reading" : "increase",
    forFuel: start === "fuel",
    usageIncrease: "",
    reading: "",
    capturedAt: at ? momentText(at) : "",
    fuelAdded: "",
    fuelKind: presetFuelKind(equipmentFuelWord(equipment.fuel)),
    fullFill: false,
    notes: "",
  });
  const record = useWrite(EquipmentService.method.recordUsage, {
    onSuccess: ({ equipment: now, entryIds }) => {
      const figures = {
        name: equipment.name,
        amount: labels.amount(now?.meterReading ?? seen.meterReading, unit),
      };
      const undoing = undo(equipment.id, entryIds);
      if (unit === "n/a") {
        toast.success(t("equipment-dialogs.usage.fuelDone"), equipment.name, undoing);
      } else {
        toast.success(
          t("equipment-dialogs.usage.done"),
          changesOnlyHistory(seen, form.getValues())
            ? t("equipment-detail.usage.doneInHistory", figures)
            : t("equipment-dialogs.usage.doneText", figures),
          undoing,
        );
      }
      onClose();
      void refresh(now);
    },
    onError: async (error) => {
      showFieldErrors(form, error, [
        "usageIncrease",
        "reading",
        "capturedAt",
        "fuelAdded",
        "notes",
      ]);
      const found = await lookAgain(error);
      if (found) void refresh();
      if (!found?.explained) toast.failure(t("equipment-dialogs.usage.failed"), errorText(error));
    },
  });
  const save = (values: UsageValues) => {
    forget();
    record.mutate(toUsageRequest(seen, values));
  };
  return (
    <>
      <FormDialog
        open
        onOpenChange={onClose}
        title={title}
        description={numberedName(equipment.name, equipment)}
        onSubmit={form.handleSubmit(
          (values) => {
            const found = usageQuestion(seen, values, new Date());
            if (found) setQuestion(found);
            else save(values);
          },
          (errors) => {
            if (errors.usageIncrease?.message === key("equipment-dialogs.usage.invalidText")) {
              toast.failure(
                t("equipment-dialogs.usage.invalid"),
                t("equipment-dialogs.usage.invalidText"),
              );
            }
          },
        )}
        loading={record.isPending}
        submitError={record.error && !explains(record.error) ? errorText(record.error) : null}
        toasted
        submitLabel={start === "increase" ? t("equipment-dialogs.usage.submit") : title}
        pendingLabel={t("equipment-dialogs.usage.pending")}
      >
        <MovedNotice moved={moved} seen={seen} />
        {(start !== "fuel" || hasMeter(seen)) && (
          <dl className="grid grid-cols-2 gap-4 rounded-card border border-line bg-sunken px-4 py-3">
            <div>
              <dt className="text-sm text-muted">{t("equipment-dialogs.usage.current")}</dt>
              <dd className="font-semibold">
                {isNeverRead(seen)
                  ? t("equipment-detail.usage.neverRead")
                  : labels.amount(seen.meterReading, unit)}
              </dd>
            </div>
            <NewTotal seen={seen} values={form.watch()} />
          </dl>
        )}
        <UsageFields
          form={form}
          seen={seen}
          neverRead={isNeverRead(seen)}
          opened={opened}
          fuelFirst={start === "fuel"}
        />
      </FormDialog>
      {question && (
        <UsageCheck
          equipmentId={equipment.id}
          question={question}
          onSave={(values) => {
            setQuestion(null);
            save(values);
          }}
          onFix={(values) => {
            // Shows the chosen fix; changes are checked at once, as after any submit.
            form.reset(values, { keepIsSubmitted: true });
            const rest = usageQuestion(seen, values, new Date());
            setQuestion(rest);
            if (!rest) save(values);
          }}
          onReading={(reading) => {
            setQuestion(null);
            form.setValue("way", "reading");
            form.setValue("reading", String(reading), { shouldDirty: true });
          }}
          onReplace={() => {
            onClose();
            void navigate({
              to: "/equipment/item/$id",
              params: { id: equipment.id },
              search: { replace: "meter" },
            });
          }}
          onHistory={onClose}
          onClose={() => setQuestion(null)}
        />
      )}
    </>
  );
}

function titleOf(t: TFunction, start: UsageStart): string {
  switch (start) {
    case "increase":
      return t("equipment-dialogs.usage.title");
    case "reading":
      return t("equipment-dialogs.usage.addReading");
    case "fuel":
      return t("equipment-dialogs.usage.addFuel");
  }
}

const UsageCheck = dialogOnDemand(
  withTexts(["operator"], () => import("./usage-check").then((module) => module.UsageCheck)),
);

const hasMeter = ({ unit }: Equipment): boolean => unitWord(unit) !== "n/a";

/** A machine with a meter whose first reading is the baseline of its usage. */
function isNeverRead(machine: Equipment): boolean {
  const { meterReadAt, currentUsage, meterReading } = machine;
  return hasMeter(machine) && !meterReadAt && currentUsage === 0 && meterReading === 0;
}
