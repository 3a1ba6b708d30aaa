import type { Transport } from "@connectrpc/connect";
import { callUnaryMethod, useTransport } from "@connectrpc/connect-query";
import { useTranslation } from "react-i18next";
import { useErrorText } from "#/api/error-text";
import { EquipmentService } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import {
  OperatorUpdatesService,
  UndoableDecision,
} from "#/api/gen/hourmeter/operator_updates/v1/operator_updates_pb";
import { toast, type ToastAction } from "#/shared/toast/store";
import { runMany } from "#/shared/run-many";
import { useRefreshEquipment } from "../queries";
import { maxUpdates, useRefreshUpdates } from "./use-reject-waiting";

const { undoDecisions } = OperatorUpdatesService.method;

/** Restores what one change has changed. Returns how many updates it leaves rejected. */
export type Undo = (transport: Transport) => Promise<number>;

/** The action of a toast that undoes the changes it reports. */
export function useUndoChanges(): (changes: readonly Undo[]) => ToastAction {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const transport = useTransport();
  const refresh = useRefreshEquipment();
  const refreshUpdates = useRefreshUpdates();
  async function run(changes: readonly Undo[]) {
    let stayRejected = 0;
    const failed = await runMany(
      changes,
      async (undo) => {
        const left = await undo(transport);
        stayRejected += left;
      },
      () => undefined,
    );
    const [first] = failed;
    if (first) {
      const title = t("equipment-dialogs.undo.failed", { count: failed.length });
      toast.failure(title, errorText(first.error));
    } else if (stayRejected > 0) {
      toast.success(t("equipment-dialogs.undo.stayRejected", { count: stayRejected }));
    } else toast.success(t("equipment-dialogs.undo.done"));
    await Promise.all([refresh(), refreshUpdates()]);
  }
  return (changes) => ({
    label: t("equipment-dialogs.undo.action"),
    run: () => void run(changes),
  });
}

/** Voids entries that were just made, the last one first. Without entries, there is no undo. */
export function undoEntries(
  equipmentId: string,
  entryIds: readonly string[],
  reason: string,
): Undo | undefined {
  if (entryIds.length === 0) return undefined;
  const left = [...entryIds];
  return async (transport) => {
    for (let entryId = left.at(-1); entryId !== undefined; entryId = left.at(-1)) {
      await callUnaryMethod(transport, EquipmentService.method.voidEntry, {
        equipmentId,
        entryId,
        reason,
      });
      // A repeat after a rate limit voids the rest.
      left.pop();
    }
    return 0;
  };
}

/** The action of a toast that voids the entries it reports; undefined if none can be undone. */
export function useUndoEntries() {
  const { t } = useTranslation();
  const undoAction = useUndoChanges();
  return (equipmentId: string, entryIds: readonly string[]): ToastAction | undefined => {
    const undo = undoEntries(equipmentId, entryIds, t("equipment-dialogs.undo.reason"));
    return undo && undoAction([undo]);
  };
}

/** Restores retired equipment, and returns the updates that were rejected with it to review. */
export function undoRetirement(retiredId: string, rejected: readonly string[]): Undo {
  let restored = false;
  return async (transport) => {
    // A repeat after a rate limit does not restore once more.
    if (!restored) {
      await callUnaryMethod(transport, EquipmentService.method.restoreEquipment, { id: retiredId });
      restored = true;
    }
    let refused = 0;
    for (let at = 0; at < rejected.length; at += maxUpdates) {
      const ids = rejected.slice(at, at + maxUpdates);
      const { results } = await callUnaryMethod(transport, undoDecisions, {
        ids,
        decision: UndoableDecision.REJECTION,
      });
      refused += results.filter(({ ok }) => !ok).length;
    }
    return refused;
  };
}
