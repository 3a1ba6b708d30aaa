import { Topic } from "#/api/gen/hourmeter/events/v1/events_pb";
import { useWatch } from "#/shared/live/use-watch";
import { metersOf } from "./meters";
import { historyOf } from "./own-history";
import { usePerson } from "./sync-person";

const topics = [Topic.OPERATOR_UPDATES, Topic.EQUIPMENT] as const;

/** Asks anew as soon as the server says that something has changed. */
export function useLiveSync(): void {
  const person = usePerson();
  useWatch(topics, (changed) =>
    Promise.all([
      changed.has(Topic.OPERATOR_UPDATES) ? historyOf(person).refresh() : null,
      changed.has(Topic.EQUIPMENT) ? metersOf(person).refresh() : null,
    ]),
  );
}
