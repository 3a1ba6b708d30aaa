import { callUnaryMethod, useTransport } from "@connectrpc/connect-query";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { useErrorText } from "#/api/error-text";
import {
  EquipmentService,
  type Equipment,
  type GetEquipmentResponse,
} from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { operationalOnWire, operationalWord } from "#/domain/equipment-wire";
import type { OperationalWord } from "#/domain/equipment-words";
import { toast } from "#/shared/toast/store";
import { operationalLabel } from "#/shared/words/operational-label";
import { equipmentQuery, useRefreshEquipment } from "../queries";

/** Changes the operational status at once; a refusal restores the one before. */
export function useOperationalStatus(equipment: Equipment) {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const transport = useTransport();
  const client = useQueryClient();
  const refresh = useRefreshEquipment();
  const { id, name } = equipment;
  const { queryKey } = equipmentQuery(transport, id);
  const mutationKey = ["operational-status", id];
  const current = operationalWord(equipment.operationalStatus);
  const show = (status: OperationalWord) =>
    client.setQueryData<GetEquipmentResponse>(
      queryKey,
      (data) =>
        data?.equipment && {
          ...data,
          equipment: { ...data.equipment, operationalStatus: operationalOnWire[status] },
        },
    );
  const { mutate } = useMutation({
    mutationKey,
    // Two quick changes are sent in order.
    scope: { id: mutationKey.join(" ") },
    mutationFn: ({ to }: { from: OperationalWord; to: OperationalWord }) =>
      callUnaryMethod(transport, EquipmentService.method.updateEquipment, {
        id,
        equipment: { operationalStatus: operationalOnWire[to] },
      }),
    onMutate: async ({ to }) => {
      show(to);
      await client.cancelQueries({ queryKey });
    },
    onSuccess: (_, { from, to }) =>
      toast.success(
        t("equipment-detail.use.done"),
        t("equipment-detail.use.doneText", {
          name,
          before: operationalLabel(t, from),
          after: operationalLabel(t, to),
        }),
        {
          label: t("equipment-dialogs.undo.action"),
          run: () => mutate({ from: to, to: from }),
        },
      ),
    onError: (error, { from }) => {
      show(from);
      toast.failure(t("equipment-detail.use.failed"), errorText(error));
    },
    onSettled: () => {
      if (client.isMutating({ mutationKey }) === 1) void refresh();
    },
  });
  return {
    current,
    change: (to: OperationalWord) => {
      if (to !== current) mutate({ from: current, to });
    },
  };
}
