import type { Transport } from "@connectrpc/connect";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { Equipment } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { useWriteTransport } from "#/shared/form/use-write";
import { toast } from "#/shared/toast/store";
import { useRefreshEquipment } from "../queries";
import { runMany, type Failed } from "./run-many";

/** One action for many machines; each succeeds or fails on its own. */
export function useBulk<Values>(
  machines: readonly Equipment[],
  call: (transport: Transport, machine: Equipment, values: Values) => Promise<unknown>,
  onDone: () => void,
) {
  const { t } = useTranslation();
  // A repeat after a lost response keeps the idempotency key of its machine.
  const transport = useWriteTransport();
  const refresh = useRefreshEquipment();
  const [progress, setProgress] = useState<number | null>(null);
  const [failed, setFailed] = useState<readonly Failed<Equipment>[]>([]);
  const rows = failed.length > 0 ? failed.map(({ row }) => row) : machines;
  async function run(values: Values) {
    setProgress(0);
    const left = await runMany(rows, (row) => call(transport, row, values), setProgress);
    setProgress(null);
    setFailed(left);
    void refresh();
    const count = rows.length - left.length;
    if (count > 0) toast.success(t("equipment-bulk.done"), t("equipment-bulk.doneText", { count }));
    if (left.length === 0) onDone();
  }
  return { run, rows, failed, progress };
}
