import { useMutation } from "@connectrpc/connect-query";
import type { UseFormReturn } from "react-hook-form";
import { useTranslation } from "react-i18next";
import { useErrorText } from "#/api/error-text";
import { toFailure } from "#/api/errors";
import { EquipmentService, type Equipment } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { toast } from "#/shared/toast/store";
import { useRefreshEquipment } from "../queries";
import { showServerErrors } from "./field-errors";
import type { EquipmentValues } from "./schema";
import { toCreateInput, toUpdateInput, valuesOf } from "./values";

/** Creates or updates; a refusal keeps what was typed and shows the server's words on its fields. */
export function useSaveEquipment(
  form: UseFormReturn<EquipmentValues>,
  equipment: Equipment | null,
  onSaved: () => void,
) {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const refresh = useRefreshEquipment();
  const fallback = equipment ? "equipment.form.updateFailed" : "equipment.form.addFailed";
  const outcome = (done: string) => ({
    onSuccess: async () => {
      toast.success(done, t("equipment.form.savedText", { name: form.getValues("name").trim() }));
      await refresh();
      onSaved();
    },
    onError: (error: Error) => {
      showServerErrors(form, error);
      toast.failure(t("equipment.error"), errorText(error, fallback));
    },
  });
  const create = useMutation(
    EquipmentService.method.createEquipment,
    outcome(t("equipment.form.added")),
  );
  const update = useMutation(
    EquipmentService.method.updateEquipment,
    outcome(t("equipment.form.updated")),
  );
  const send = (values: EquipmentValues, expectedVersion?: bigint) => {
    if (!equipment) {
      create.mutate({ equipment: toCreateInput(values) });
      return;
    }
    update.mutate({
      id: equipment.id,
      equipment: toUpdateInput(valuesOf(equipment), values),
      ...(expectedVersion === undefined ? {} : { expectedVersion }),
    });
  };
  const error = create.error ?? update.error;
  return {
    save: (values: EquipmentValues) => send(values, equipment?.version),
    /** Without the version that was loaded: what was changed here wins. */
    saveAnyway: (values: EquipmentValues) => send(values),
    pending: create.isPending || update.isPending,
    stale: error !== null && toFailure(error).code === "STALE",
    submitError: error && errorText(error, fallback),
  };
}
