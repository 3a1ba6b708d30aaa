import type { Transport } from "@connectrpc/connect";
import { callUnaryMethod, useTransport } from "@connectrpc/connect-query";
import { useQuery, type UseQueryResult } from "@tanstack/react-query";
import { callKey } from "#/api/call-key";
import type { Equipment, ServiceTask } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import {
  OperatorUpdatesService,
  UpdateStatus,
  type OperatorUpdate,
} from "#/api/gen/hourmeter/operator_updates/v1/operator_updates_pb";
import { wholeList } from "#/api/whole-list";
import { runMany } from "#/shared/run-many";
import { dueTasks } from "./due-tasks";
import { isDue } from "./is-due";

/** What is open for a machine: ids of updates that wait for review, and due tasks. */
export interface OpenMatter {
  equipment: Equipment;
  waiting: string[];
  due: ReadonlyArray<Pick<ServiceTask, "fromForm" | "name">>;
}

export type OpenMatters = UseQueryResult<OpenMatter[]>;

/** The machines for which something is open. */
export function useOpenMatters(machines: readonly Equipment[]): OpenMatters {
  const transport = useTransport();
  return useQuery({
    queryKey: callKey(OperatorUpdatesService.method.listUpdates, {
      openOf: machines.map(({ id }) => id),
    }),
    queryFn: async () => {
      const [waiting, due] = await Promise.all([
        waitingUpdates(transport),
        dueByMachine(transport, machines),
      ]);
      return machines
        .map((equipment) => ({
          equipment,
          waiting: waitingOf(waiting, equipment.id),
          due: due.get(equipment.id) ?? [],
        }))
        .filter((open) => open.waiting.length + open.due.length > 0);
    },
  });
}

/** The ids of the machine's updates that wait for review. */
export function useWaitingUpdates(machineId: string): string[] {
  const transport = useTransport();
  const waiting = useQuery({
    // Shared by the pages of all machines.
    queryKey: callKey(OperatorUpdatesService.method.listUpdates, { waiting: true }),
    queryFn: () => waitingUpdates(transport),
  });
  return waitingOf(waiting.data ?? [], machineId);
}

const waitingOf = (waiting: readonly OperatorUpdate[], machineId: string) =>
  waiting.filter(({ equipmentId }) => equipmentId === machineId).map(({ id }) => id);

async function waitingUpdates(transport: Transport) {
  const { listUpdates } = OperatorUpdatesService.method;
  const statuses = [UpdateStatus.PENDING];
  const { updates } = await wholeList(
    (page) => callUnaryMethod(transport, listUpdates, { statuses, page }),
    (whole, next) => whole.updates.push(...next.updates),
  );
  return updates.filter(({ applying }) => !applying);
}

async function dueByMachine(transport: Transport, machines: readonly Equipment[]) {
  const found = new Map<string, OpenMatter["due"]>();
  const [failed] = await runMany(
    machines.filter(({ serviceStatus: status }) => isDue({ status })),
    async ({ id, moreTasks }) => {
      const formTask = { fromForm: true, name: "" };
      found.set(id, moreTasks > 0 ? await dueTasks(transport, id) : [formTask]);
    },
    () => undefined,
  );
  if (failed) throw failed.error;
  return found;
}
