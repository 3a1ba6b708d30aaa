import { callUnaryMethod } from "@connectrpc/connect-query";
import { useMutation } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { toFailure } from "#/api/errors";
import { EquipmentService, type Equipment } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { useWriteTransport } from "#/shared/form/use-write";
import { useRefreshEquipment } from "../queries";
import { toReplaceRequest, type ReplaceValues } from "./replace-schema";

/**
 * Replaces the meter if it is unchanged. If it was read since, the call is refused and `seen` is
 * set to the current meter; typed values are kept.
 */
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
  const [seen, setSeen] = useState(opened);
  const [moved, setMoved] = useState<number | null>(null);
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
      void refresh();
    },
    onError: async (error) => {
      const { status, code } = toFailure(error);
      if (code !== "STALE" && status !== 400) return;
      const { getEquipment } = EquipmentService.method;
      const found = await callUnaryMethod(transport, getEquipment, { id: opened.id }).catch(
        () => null,
      );
      const now = found?.equipment ?? seen;
      setMoved(now.meterReading === seen.meterReading ? null : seen.meterReading);
      setSeen(now);
      on.refused(error, now);
      void refresh();
    },
    onSettled: () => {
      running.current = false;
    },
  });
  return {
    seen,
    /** What the meter showed before a conflicting reading; null if there was none. */
    moved,
    replace: (values: ReplaceValues) => {
      if (running.current) return;
      running.current = true;
      setMoved(null);
      replacing.mutate(values);
    },
    pending: replacing.isPending,
    error: replacing.error,
  };
}
