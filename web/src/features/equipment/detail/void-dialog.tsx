import { timestampMs } from "@bufbuild/protobuf/wkt";
import { useNavigate } from "@tanstack/react-router";
import type { TFunction } from "i18next";
import { useTranslation } from "react-i18next";
import * as v from "valibot";
import { useErrorText } from "#/api/error-text";
import { toFailure } from "#/api/errors";
import {
  EquipmentService,
  HistoryKind,
  type Equipment,
  type HistoryRecord,
} from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { onDial } from "#/domain/dial";
import { unitWord } from "#/domain/equipment-wire";
import { useWrite } from "#/shared/form/use-write";
import { useEquipmentLabels } from "#/shared/words/use-equipment-labels";
import { key } from "#/i18n/key";
import { FormDialog } from "#/shared/form/form-dialog";
import { CheckboxField } from "#/shared/form/fields/checkbox-field";
import { TextAreaField } from "#/shared/form/fields/text-area-field";
import { useFormat } from "#/shared/format/use-format";
import { showFieldErrors, useAppForm } from "#/shared/form/use-app-form";
import { toast } from "#/shared/toast/store";
import { useRefreshEquipment } from "../queries";
import { useRecordWords } from "./use-record-words";

const longestReason = 500;

const voidSchema = v.object({
  reason: v.pipe(
    v.string(),
    v.check((text) => text.trim() !== "", key("equipment-detail.void.reasonRequired")),
    v.check((text) => text.trim().length <= longestReason, key("equipment-detail.void.reasonLong")),
  ),
  reenter: v.boolean(),
});

/** Explains the effect before an entry is voided. */
export function VoidDialog({
  equipment,
  record,
  records,
  hasOtherTasks,
  onReenter,
  onClose,
}: {
  equipment: Equipment;
  record: HistoryRecord;
  /** The loaded entries, of which some may have been added to it. */
  records: readonly HistoryRecord[];
  /** Whether other tasks of the same service remain. */
  hasOtherTasks: boolean;
  /** Called after the void if the right entry is to be made now. */
  onReenter: (equipment: Equipment) => void;
  onClose: () => void;
}) {
  const { t } = useTranslation();
  const labels = useEquipmentLabels();
  const words = useRecordWords();
  const errorText = useErrorText();
  const refresh = useRefreshEquipment();
  const navigate = useNavigate();
  const unit = unitWord(equipment.unit);
  const meter = labels.amount(equipment.meterReading, unit);
  const format = useFormat();
  // Another task of the same service keeps its reading.
  const effect = hasOtherTasks ? null : effectOnMeter(equipment, record, records);
  const meterAfter = typeof effect === "number" ? effect : null;
  const form = useAppForm(voidSchema, { reason: "", reenter: false });
  const voiding = useWrite(EquipmentService.method.voidEntry, {
    onSuccess: ({ equipment: now }) => {
      // The record does not name its update; the one taken back last is the first of the list.
      const toReview = {
        label: t("shell.titles.review"),
        run: () =>
          void navigate({ to: "/review", search: { tab: "decided", decision: "taken_back" } }),
      };
      toast.success(
        t("equipment-detail.void.done"),
        now && now.meterReading !== equipment.meterReading
          ? t("equipment-detail.void.doneText", {
              name: equipment.name,
              amount: labels.amount(now.meterReading, unit),
            })
          : equipment.name,
        record.fromOperator ? toReview : undefined,
      );
      onClose();
      if (now && form.getValues().reenter) onReenter(now);
      void refresh(now);
    },
    onError: (error) => {
      showFieldErrors(form, error, ["reason"]);
      // Someone else was faster, so the screen is outdated.
      if (toFailure(error).status === 409) void refresh();
    },
  });
  const what = [words.kind(record), words.meter(record), words.fuel(record), words.when(record)];
  return (
    <FormDialog
      open
      onOpenChange={onClose}
      title={t("equipment-detail.void.title")}
      description={what.filter((part) => part !== "").join(" · ")}
      onSubmit={form.handleSubmit(({ reason }) =>
        voiding.mutate({
          equipmentId: equipment.id,
          entryId: record.id,
          reason: reason.trim(),
        }),
      )}
      loading={voiding.isPending}
      submitError={
        voiding.error &&
        (refusal(t, voiding.error) ?? errorText(voiding.error, "equipment-detail.void.failed"))
      }
      submitLabel={
        form.watch("reenter")
          ? t("equipment-detail.void.submitReenter")
          : t("equipment-detail.void.submit")
      }
      submitTone="danger"
      pendingLabel={t("equipment-detail.void.pending")}
    >
      <p className="rounded-card border border-line bg-sunken px-4 py-3">
        {meterAfter !== null && (
          <span className="block font-semibold">
            {t(
              meterAfter > equipment.meterReading
                ? "equipment-detail.void.upTo"
                : "equipment-detail.void.backTo",
              {
                before: format.number(equipment.meterReading),
                after: labels.amount(meterAfter, unit),
              },
            )}
          </span>
        )}
        {meterAfter === null || record.kind === HistoryKind.SERVICE ? (
          <>
            {consequence(t, record, meter)}
            {effect === "unknown" && record.kind === HistoryKind.SERVICE && (
              <span className="mt-1 block font-semibold">
                {t("equipment-detail.void.rise", { change: words.rise(record) })}
              </span>
            )}
          </>
        ) : (
          <>
            {t("equipment-detail.void.stays")}{" "}
            {usageToo(t, record, labels.amount(meterAfter, unit))}
          </>
        )}
        {record.cost !== undefined && (
          <span className="mt-1 block font-semibold">
            {t("equipment-detail.void.cost", { cost: words.cost(record) })}{" "}
            {hasOtherTasks && t("equipment-detail.void.costElsewhere")}
          </span>
        )}
      </p>
      <TextAreaField
        control={form.control}
        name="reason"
        label={t("equipment-detail.void.reason")}
        hint={
          record.fromOperator
            ? `${t("equipment-detail.void.reasonHint")} ${t("equipment-detail.void.operatorHint")}`
            : t("equipment-detail.void.reasonHint")
        }
        maxLength={longestReason}
        rows={2}
      />
      {/* An operator's update is applied again under Review instead. */}
      {record.kind === HistoryKind.USAGE && !record.fromOperator && (
        <CheckboxField
          control={form.control}
          name="reenter"
          label={t("equipment-detail.void.reenter")}
        />
      )}
    </FormDialog>
  );
}

/**
 * What the meter shows without the entry; null if it does not change, "unknown" if entries that
 * decide that are not loaded.
 */
function effectOnMeter(
  equipment: Pick<Equipment, "currentUsage" | "meterReading" | "meterReadAt">,
  record: HistoryRecord,
  records: readonly HistoryRecord[],
): number | "unknown" | null {
  const { currentUsage, meterReadAt } = equipment;
  const { kind, usage, usageBefore, capturedAt } = record;
  if (kind !== HistoryKind.USAGE && kind !== HistoryKind.SERVICE) return null;
  if (usage === undefined || usageBefore === undefined || usageBefore === usage) return null;
  if (!capturedAt) return "unknown";
  const later = records.filter(
    (other) =>
      !other.voiding &&
      other.usage !== undefined &&
      // A service without a reading takes the meter as it is.
      !(other.kind === HistoryKind.SERVICE && other.reading === undefined) &&
      other.capturedAt &&
      timestampMs(other.capturedAt) > timestampMs(capturedAt),
  );
  // A later reading does not depend on this entry; added usage does.
  if (later.some((other) => other.kind !== HistoryKind.USAGE || other.reading !== undefined)) {
    return null;
  }
  const chain = [record, ...later];
  const isWhole =
    later.every((next) => chain.some((before) => before.usage === next.usageBefore)) &&
    chain.some(
      (last) =>
        last.usage === currentUsage &&
        last.capturedAt &&
        (!meterReadAt || timestampMs(last.capturedAt) >= timestampMs(meterReadAt)),
    );
  return isWhole ? onDial(equipment, currentUsage - (usage - usageBefore)) : "unknown";
}

function consequence(t: TFunction, record: HistoryRecord, meter: string): string {
  switch (record.kind) {
    case HistoryKind.SERVICE:
      return t("equipment-detail.void.service");
    case HistoryKind.NOTE:
      return t("equipment-detail.void.note");
    case HistoryKind.METER:
      return t("equipment-meters.void.text");
    default:
      return record.usage === undefined
        ? t("equipment-detail.void.fuelOnly")
        : `${t("equipment-detail.void.usage", { meter })} ${usageToo(t, record)}`;
  }
}

/** What else changes with a voided usage entry. `after`: the meter then, if known. */
function usageToo(t: TFunction, { fuelAdded }: HistoryRecord, after?: string): string {
  const service =
    after === undefined
      ? t("equipment-detail.void.anyService")
      : t("equipment-detail.void.serviceToo", { after });
  return fuelAdded > 0 ? `${t("equipment-detail.void.fuelToo")} ${service}` : service;
}

function refusal(t: TFunction, error: unknown): string | null {
  switch (toFailure(error).code) {
    case "NOT_VOIDABLE":
      return t("equipment-detail.void.notVoidable");
    case "ALREADY_VOIDED":
      return t("equipment-detail.void.alreadyVoided");
    case "EQUIPMENT_RETIRED":
      return t("equipment-detail.void.retired");
    default:
      return null;
  }
}
