import { callUnaryMethod } from "@connectrpc/connect-query";
import { useMutation } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useRef, useState } from "react";
import type { UseFormReturn } from "react-hook-form";
import type { TFunction } from "i18next";
import { useTranslation } from "react-i18next";
import { useErrorText } from "#/api/error-text";
import {
  EquipmentService,
  type Equipment,
  type EquipmentWarning,
} from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { useWriteTransport } from "#/shared/form/use-write";
import { toast } from "#/shared/toast/store";
import { useCompanyDay } from "#/shared/use-company-day";
import { useRefreshEquipment } from "../queries";
import { copyTasks } from "./copy-tasks";
import { showServerErrors } from "./field-errors";
import { saveEdit, type EditOutcome } from "./save-edit";
import type { EquipmentValues } from "./schema";
import { useMergeTexts } from "./use-merge-texts";
import { toCreateInput, valuesOf } from "./values";

type ConflictOutcome = Extract<EditOutcome, { kind: "conflict" }>;

/** A conflict to decide before the next save. */
export interface Conflict extends ConflictOutcome {
  /** The version on which these values are based. */
  opened: EquipmentValues;
  /** Distinguishes one conflict from the next. */
  round: number;
}

export type Gone = Extract<EditOutcome, { kind: "gone" }>;

interface Save {
  values: EquipmentValues;
  after: () => void;
}

/** Creates or updates; a refusal keeps typed values and shows the server's errors at its fields. */
export function useSaveEquipment(
  form: UseFormReturn<EquipmentValues>,
  equipment: Equipment | null,
  onSaved: () => void,
  /** The machine whose service tasks a new one gets. */
  copyOf?: string,
) {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const transport = useWriteTransport();
  const refresh = useRefreshEquipment();
  const texts = useMergeTexts();
  const today = useCompanyDay();
  const navigate = useNavigate();
  const fallback = equipment
    ? "equipment-form.fields.updateFailed"
    : "equipment-form.fields.addFailed";
  // The version that the next save is compared with: the opened one, or the latest conflict's.
  const [base, setBase] = useState(equipment);
  const [conflict, setConflict] = useState<Conflict | null>(null);
  const [gone, setGone] = useState<Gone | null>(null);
  const tasksMissing = useRef(false);
  const addedId = useRef<string>(undefined);
  // Covers the time between a press and the next render.
  const running = useRef(false);

  const send = async (values: EquipmentValues): Promise<EditOutcome> => {
    if (base) return saveEdit(transport, base, values);
    const request = { equipment: toCreateInput(values) };
    const { createEquipment } = EquipmentService.method;
    const made = await callUnaryMethod(transport, createEquipment, request);
    addedId.current = made.equipment?.id;
    if (copyOf && made.equipment) {
      // The machine exists, so a failure must not suggest to add it again.
      await copyTasks(transport, copyOf, made.equipment, today).catch(() => {
        tasksMissing.current = true;
      });
    }
    return { kind: "saved", merged: [], change: null, warnings: made.warnings };
  };

  const settle = async (outcome: EditOutcome, { after }: Save) => {
    switch (outcome.kind) {
      case "saved": {
        const done = equipment
          ? t("equipment-form.fields.updated")
          : t("equipment-form.fields.added");
        const saved = t("equipment-form.fields.savedText", { name: form.getValues("name").trim() });
        const merged = texts.merged(outcome.merged, outcome.change);
        const id = addedId.current;
        const show = id && {
          label: t("equipment-form.showAdded"),
          run: () => void navigate({ to: "/equipment/item/$id", params: { id } }),
        };
        const action = show || undefined;
        if (tasksMissing.current) toast.failure(done, t("equipment-form.copyTasksFailed"), action);
        else {
          const warned = outcome.warnings.map((warning) => warningText(t, warning));
          toast.success(done, [saved, merged, ...warned].filter(Boolean).join(" "), action);
        }
        await refresh();
        after();
        return;
      }
      case "conflict": {
        const opened = base ? valuesOf(base) : outcome.values;
        setBase(outcome.stored);
        setConflict((last) => ({ ...outcome, opened, round: (last?.round ?? 0) + 1 }));
        // Fields that only others changed are updated in the form; typed values are kept.
        form.reset(outcome.values, { keepDefaultValues: true });
        toast.failure(t("equipment-dialogs.error"), t("equipment-form.merge.title"));
        return;
      }
      case "gone":
        setGone(outcome);
        toast.failure(t("equipment-dialogs.error"), texts.gone(outcome, equipment?.name ?? ""));
    }
  };

  const saving = useMutation({
    mutationFn: ({ values }: Save) => send(values),
    // A conflict stays until the save succeeds, so that typed values can still be chosen.
    onMutate: () => setGone(null),
    onSuccess: settle,
    onError: (error) => {
      showServerErrors(form, error);
      toast.failure(t("equipment-dialogs.error"), errorText(error, fallback));
    },
    onSettled: () => {
      running.current = false;
    },
  });
  return {
    save: (values: EquipmentValues, after = onSaved) => {
      if (running.current) return;
      running.current = true;
      saving.mutate({ values, after });
    },
    pending: saving.isPending,
    conflict,
    gone,
    submitError: saving.error && errorText(saving.error, fallback),
  };
}

function warningText(t: TFunction, { code, message, parameters }: EquipmentWarning): string {
  const { name = "" } = parameters;
  switch (code) {
    case "SAME_NAME":
      return t("equipment-form.duplicate.name", { name });
    case "SAME_SERIAL_NUMBER":
      return t("equipment-form.duplicate.serialNumber", { name });
    default:
      return message;
  }
}
