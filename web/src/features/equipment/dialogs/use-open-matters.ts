import { useQuery } from "@connectrpc/connect-query";
import { EquipmentService, type ServiceTask } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { OperatorUpdatesService } from "#/api/gen/hourmeter/operator_updates/v1/operator_updates_pb";
import { isDue } from "./is-due";

/** What is open for a machine: updates that wait for review, and due tasks. Empty while loading. */
export function useOpenMatters(equipmentId: string): {
  waiting: string[];
  due: ServiceTask[];
} {
  const review = useQuery(OperatorUpdatesService.method.listReview, {});
  const plan = useQuery(EquipmentService.method.listServiceTasks, { equipmentId });
  return {
    waiting: (review.data?.updates ?? [])
      .filter((update) => update.equipmentId === equipmentId && !update.applying)
      .map(({ id }) => id),
    due: plan.data?.tasks.filter(isDue) ?? [],
  };
}
