import { callUnaryMethod } from "@connectrpc/connect-query";
import { useMutation } from "@tanstack/react-query";
import { useRef } from "react";
import { EquipmentService, type Equipment } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { useWriteTransport } from "#/shared/form/use-write";
import { useRefreshEquipment } from "../queries";
import { toReplaceRequest, type ReplaceValues } from "./replace-schema";
import { useSeen } from "./use-seen";

/** Replaces the meter if it is unchanged. */
export function useReplaceMeter(
  opened: Equipment,
  on: {
    done: (after: Equipment) => void;
    /** With the current meter. */
    refused: (error: Error, now: Equipment) => void;
  },
) {
  const transport = useWriteTransport();
  const refresh = useRefreshEquipment();
  const { seen, moved, forget, explains, lookAgain } = useSeen(opened);
  // Covers the time between a press and the next render.
  const running = useRef(false);
  const replacing = useMutation({
    mutationFn: async (values: ReplaceValues) => {
      const request = toReplaceRequest(opened.id, values, seen);
      const { replaceMeter } = EquipmentService.method;
      const { equipment } = await callUnaryMethod(transport, replaceMeter, request);
      return equipment ?? opened;
    },
    onSuccess: (after) => {
      on.done(after);
      void refresh(after);
    },
    onError: async (error) => {
      const found = await lookAgain(error);
      if (!found) return;
      on.refused(error, found.now);
      void refresh();
    },
    onSettled: () => {
      running.current = false;
    },
  });
  return {
    seen,
    moved,
    explains,
    replace: (values: ReplaceValues) => {
      if (running.current) return;
      running.current = true;
      forget();
      replacing.mutate(values);
    },
    pending: replacing.isPending,
    error: replacing.error,
  };
}
