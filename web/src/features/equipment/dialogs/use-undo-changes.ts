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

/** Restores what one change has changed. */
export type Undo = (transport: Transport) => Promise<unknown>;

/** The action of a toast that undoes the changes it reports. */
export function useUndoChanges(): (changes: readonly Undo[]) => ToastAction {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const transport = useTransport();
  const refresh = useRefreshEquipment();
  const refreshUpdates = useRefreshUpdates();
  async function run(changes: readonly Undo[]) {
    const failed = await runMany(
      changes,
      (undo) => undo(transport),
      () => undefined,
    );
    const [first] = failed;
    if (first) {
      const title = t("equipment-dialogs.undo.failed", { count: failed.length });
      toast.failure(title, errorText(first.error));
    } else toast.success(t("equipment-dialogs.undo.done"));
    await Promise.all([refresh(), refreshUpdates()]);
  }
  return (changes) => ({
    label: t("equipment-dialogs.undo.action"),
    run: () => void run(changes),
  });
}

/** Restores retired equipment, and returns the updates that were rejected with it to review. */
export function undoRetirement(retiredId: string, rejected: readonly string[]): Undo {
  return async (transport) => {
    await callUnaryMethod(transport, EquipmentService.method.restoreEquipment, { id: retiredId });
    for (let at = 0; at < rejected.length; at += maxUpdates) {
      const ids = rejected.slice(at, at + maxUpdates);
      const { results } = await callUnaryMethod(transport, undoDecisions, {
        ids,
        decision: UndoableDecision.REJECTION,
      });
      const refused = results.find(({ ok }) => !ok);
      if (refused) throw new Error(`failed to undo the rejection of an update: ${refused.code}`);
    }
  };
}
