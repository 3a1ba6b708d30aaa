import type { Transport } from "@connectrpc/connect";
import { useRef } from "react";
import { useTranslation } from "react-i18next";
import type { Equipment } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { useWriteTransport } from "#/shared/form/use-write";
import { toast, type ToastAction } from "#/shared/toast/store";
import { useUndoChanges, type Undo } from "../dialogs/use-undo-changes";
import { useRefreshEquipment } from "../queries";
import { useRunMany } from "#/shared/use-run-many";

/**
 * One action for many machines; each succeeds or fails on its own. `call` returns how to undo its
 * change, if that is possible; `keepUndo` is for a change that may fail halfway.
 */
export function useBulk<Values>(
  machines: readonly Equipment[],
  call: (
    transport: Transport,
    machine: Equipment,
    values: Values,
    keepUndo: (undo: Undo) => void,
  ) => Promise<Undo | undefined>,
  onDone: () => void,
) {
  const { t } = useTranslation();
  // A repeat after a lost response keeps the idempotency key of its machine.
  const transport = useWriteTransport();
  const refresh = useRefreshEquipment();
  const undoAction = useUndoChanges();
  const undos = useRef(new Map<string, Undo>());
  const many = useRunMany<Equipment, Values>(
    machines,
    async (row, values) => {
      const keepUndo = (undo: Undo) => undos.current.set(row.id, undo);
      const undo = await call(transport, row, values, keepUndo);
      if (undo) keepUndo(undo);
    },
    (count, left) => {
      void refresh();
      if (count > 0) {
        toast.success(t("equipment-bulk.done"), t("equipment-bulk.doneText", { count }), undoAll());
      }
      if (left.length === 0) onDone();
    },
  );
  /** Undoes each change once, also those of earlier attempts. */
  function undoAll(): ToastAction | undefined {
    const changes = new Map(undos.current);
    if (changes.size === 0) return undefined;
    const action = undoAction([...changes.values()]);
    return {
      ...action,
      run: () => {
        for (const id of changes.keys()) undos.current.delete(id);
        action.run();
      },
    };
  }
  return many;
}
