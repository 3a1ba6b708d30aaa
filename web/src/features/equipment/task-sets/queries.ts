import type { MessageInitShape } from "@bufbuild/protobuf";
import type { Transport } from "@connectrpc/connect";
import { callUnaryMethod } from "@connectrpc/connect-query";
import { queryOptions } from "@tanstack/react-query";
import { EquipmentService } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import {
  TaskSetMode,
  TaskSetService,
  type ApplyTaskSetRequestSchema,
  type TaskSet,
  type TaskSetResult,
  type TaskSetSkip,
} from "#/api/gen/hourmeter/equipment/v1/task_sets_pb";
import { wholeList } from "#/api/whole-list";
import { loadRefusals } from "#/i18n";

const { listTaskSets, previewTaskSet, applyTaskSet } = TaskSetService.method;

/** Keys of the equipment service, so that its changes refetch task sets too. */
function key(name: string, input: object) {
  const { typeName: serviceName } = EquipmentService;
  return ["connect-query", { serviceName, methodName: name, input }] as const;
}

export function taskSetsQuery(transport: Transport) {
  return queryOptions({
    queryKey: key(listTaskSets.name, {}),
    queryFn: ({ signal }) => callUnaryMethod(transport, listTaskSets, {}, { signal }),
  });
}

/** What applying would change. Without ids: on all machines that have the set. */
export interface PreviewChoice {
  /** Empty: all sets of the machines. */
  taskSetId: string;
  equipmentIds?: readonly string[];
  mode: TaskSetMode;
}

export function previewQuery(
  transport: Transport,
  { equipmentIds = [], ...choice }: PreviewChoice,
) {
  const input = { ...choice, equipmentIds: [...equipmentIds] };
  return queryOptions({
    queryKey: key(previewTaskSet.name, input),
    queryFn: async ({ signal }) => {
      const preview = await wholeList(
        (page) => callUnaryMethod(transport, previewTaskSet, { ...input, page }, { signal }),
        (whole, next) => whole.results.push(...next.results),
      );
      await loadReasons(preview.results);
      return preview;
    },
  });
}

/** The sets of one machine, and how its tasks differ from them. */
export function machineSetsQuery(transport: Transport, equipmentId: string) {
  return previewQuery(transport, {
    taskSetId: "",
    equipmentIds: [equipmentId],
    mode: TaskSetMode.UPDATE,
  });
}

/** A set that is applied; with the revision that the person has seen. */
export type AppliedSet = Pick<TaskSet, "id" | "name"> & { revision?: bigint };

/** The server's limit for one call. */
const maxMachines = 50;

/** What a person chooses for the application of a set. */
export type SetChoices = Pick<MessageInitShape<typeof ApplyTaskSetRequestSchema>, "start"> & {
  skips?: ReadonlyArray<Pick<TaskSetSkip, "equipmentId" | "itemId">>;
  /** Tasks that a removal leaves. */
  keeps?: ReadonlyArray<{ equipmentId: string; taskId: string }>;
};

/** Applies a set to any number of machines. `onResults` is called after each call. */
export async function applySet(
  transport: Transport,
  { id, revision }: AppliedSet,
  equipmentIds: readonly string[],
  mode: TaskSetMode,
  { skips = [], keeps = [], ...choices }: SetChoices,
  onResults: (results: readonly TaskSetResult[]) => void,
): Promise<void> {
  for (let at = 0; at < equipmentIds.length; at += maxMachines) {
    const part = equipmentIds.slice(at, at + maxMachines);
    const isOfPart = ({ equipmentId }: { equipmentId: string }) => part.includes(equipmentId);
    const input = {
      taskSetId: id,
      equipmentIds: part,
      mode,
      ...choices,
      skips: skips.filter(isOfPart),
      keepTaskIds: keeps.filter(isOfPart).map(({ taskId }) => taskId),
      ...(revision === undefined ? {} : { expectedRevision: revision }),
    };
    // One after the other, so that a failure leaves a known rest.
    const { results } = await callUnaryMethod(transport, applyTaskSet, input);
    await loadReasons(results);
    onResults(results);
  }
}

/** The texts of refused machines. */
async function loadReasons(results: readonly TaskSetResult[]): Promise<void> {
  if (results.some(({ ok }) => !ok)) await loadRefusals();
}
