import type { Transport } from "@connectrpc/connect";
import { callUnaryMethod, useTransport } from "@connectrpc/connect-query";
import { useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { EquipmentService } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { writeTransport } from "#/shared/form/use-write";
import { runMany } from "#/shared/run-many";
import { toast } from "#/shared/toast/store";
import { toCreateInput } from "../form/values";
import { useRefreshEquipment } from "../queries";
import type { CheckedRow } from "./check-rows";

const { createEquipment } = EquipmentService.method;

/** Adds rows as machines; each succeeds or fails on its own, and is added once. */
export function useImport() {
  const { t } = useTranslation();
  const transport = useTransport();
  const refresh = useRefreshEquipment();
  // Rows may be equal, and a repeat of one must not count as a repeat of the other.
  const transports = useRef(new Map<string, Transport>());
  const stopped = useRef(false);
  const [progress, setProgress] = useState<{ done: number; total: number } | null>(null);
  const [added, setAdded] = useState<ReadonlySet<string>>(new Set());
  const [failed, setFailed] = useState<ReadonlyMap<string, unknown>>(new Map());

  const add = async ({ id, values }: CheckedRow) => {
    const own = transports.current.get(id) ?? writeTransport(transport);
    transports.current.set(id, own);
    await callUnaryMethod(own, createEquipment, { equipment: toCreateInput(values) });
    setAdded((last) => new Set(last).add(id));
  };

  async function run(rows: readonly CheckedRow[]) {
    const total = rows.length;
    let finished = 0;
    stopped.current = false;
    setFailed(new Map());
    setProgress({ done: 0, total });
    const left = await runMany(
      rows,
      add,
      (done) => {
        finished = done;
        setProgress({ done, total });
      },
      () => stopped.current,
    );
    setFailed(new Map(left.map(({ row, error }) => [row.id, error])));
    const count = finished - left.length;
    const addedText = t("equipment-import.done.text", { count });
    if (left.length > 0) {
      const failedText = t("equipment-import.done.failedText", { count: left.length });
      toast.failure(t("equipment-import.done.failedTitle"), `${addedText} ${failedText}`);
    } else if (count > 0) toast.success(t("equipment-import.done.title"), addedText);
    // Rows that were added are known before the list has them.
    await refresh();
    setProgress(null);
  }

  return {
    run,
    stop: () => {
      stopped.current = true;
    },
    /** While rows are being added. */
    progress,
    /** The ids of rows. */
    added,
    /** The error of each row that was refused in the last run. */
    failed,
    forgetFailures: () => setFailed(new Map()),
  };
}
