import { callUnaryMethod, useTransport } from "@connectrpc/connect-query";
import { useState } from "react";
import { toFailure } from "#/api/errors";
import { EquipmentService, type Equipment } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";

/**
 * The machine as a form shows it. After a refusal because its meter has moved, `seen` is the current
 * machine and `moved` is what the form showed before.
 */
export function useSeen(opened: Equipment) {
  const transport = useTransport();
  const [seen, setSeen] = useState(opened);
  const [moved, setMoved] = useState<number | null>(null);
  return {
    seen,
    moved,
    forget: () => setMoved(null),
    /** Whether `moved` says all there is to say about a refusal. */
    explains: (error: Error | null) =>
      moved !== null && error !== null && toFailure(error).code === "STALE",
    /**
     * After a refusal that may be due to an outdated machine: the current one, and whether `moved`
     * will say all there is to say about it.
     */
    lookAgain: async (error: Error): Promise<{ now: Equipment; explained: boolean } | null> => {
      const { status, code } = toFailure(error);
      if (code !== "STALE" && status !== 400) return null;
      const { getEquipment } = EquipmentService.method;
      const found = await callUnaryMethod(transport, getEquipment, { id: opened.id }).catch(
        () => null,
      );
      const now = found?.equipment ?? seen;
      const hasMoved = now.meterReading !== seen.meterReading;
      setMoved(hasMoved ? seen.meterReading : null);
      setSeen(now);
      return { now, explained: hasMoved && code === "STALE" };
    },
  };
}
