import type { DescMethodUnary } from "@bufbuild/protobuf";
import { createConnectQueryKey, useTransport } from "@connectrpc/connect-query";
import type { Transport } from "@connectrpc/connect";
import { useQueryClient, type QueryClient } from "@tanstack/react-query";
import i18next from "i18next";
import { useSyncExternalStore } from "react";
import { EquipmentService } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { OperatorUpdatesService } from "#/api/gen/hourmeter/operator_updates/v1/operator_updates_pb";
import { sessionQuery } from "#/api/session";
import { toast } from "#/shared/toast/store";
import { createEntryStore } from "./entry-store";
import { createOutbox, type Outbox, type OutboxState, type SendResult } from "./outbox";
import type { OutboxEntry } from "./outbox-entry";
import { withSendLock } from "./send-lock";
import { judge, sendUpdate } from "./send-update";
import { tabChannel } from "./tab-channel";

const changedBySending: readonly DescMethodUnary[] = [
  OperatorUpdatesService.method.listUpdates,
  EquipmentService.method.listEquipment,
];

const outboxes = new WeakMap<Transport, Map<string, Outbox>>();

/** The one outbox of a person on this page. */
export function useOutbox(userId: string): Outbox {
  const transport = useTransport();
  const client = useQueryClient();
  let ofTransport = outboxes.get(transport);
  if (!ofTransport) outboxes.set(transport, (ofTransport = new Map()));
  let outbox = ofTransport.get(userId);
  if (!outbox) ofTransport.set(userId, (outbox = makeOutbox(transport, client, userId)));
  return outbox;
}

export function useOutboxState(outbox: Outbox): OutboxState {
  return useSyncExternalStore(outbox.subscribe, outbox.state);
}

function makeOutbox(transport: Transport, client: QueryClient, userId: string): Outbox {
  return createOutbox({
    store: createEntryStore(userId),
    withLock: (work) => withSendLock(`hourmeter-outbox-${userId}`, work),
    tabs: tabChannel(`hourmeter-outbox-${userId}`),
    send: async (entry) =>
      (await otherPerson(client, userId)) ?? (await sendUpdate(transport, entry)),
    onSettled: (entry, outcome) => {
      tell(entry, outcome);
      for (const schema of changedBySending) {
        void client.invalidateQueries({
          queryKey: createConnectQueryKey({ schema, cardinality: undefined }),
        });
      }
    },
  });
}

/** Another tab may have signed someone else in: an entry must never be sent in their name. */
async function otherPerson(client: QueryClient, userId: string): Promise<SendResult | null> {
  try {
    const user = await client.fetchQuery({ ...sessionQuery, staleTime: 10_000 });
    return user?.id === userId ? null : { kind: "blocked" };
  } catch (error) {
    return judge(error);
  }
}

function tell(entry: OutboxEntry, outcome: { kind: string; automatic?: boolean; reason?: string }) {
  if (outcome.kind === "sent") {
    toast.success(
      i18next.t("operator.toast.submitted"),
      i18next.t(outcome.automatic ? "operator.toast.appliedText" : "operator.toast.submittedText", {
        name: entry.equipmentName,
      }),
    );
  } else if (outcome.kind === "refused") {
    toast.failure(i18next.t("operator.toast.failed"), outcome.reason);
  }
}
