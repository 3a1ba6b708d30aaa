import { createClient, type Transport } from "@connectrpc/connect";
import { useTransport } from "@connectrpc/connect-query";
import { useQueryClient, type QueryClient } from "@tanstack/react-query";
import { useEffect, useEffectEvent } from "react";
import { EventsService, Topic } from "#/api/gen/hourmeter/events/v1/events_pb";
import { checkSession, useSession } from "#/session/session";
import { useSessionEnded } from "#/session/session-end";
import { useStore } from "../store";
import { createLine, type Changed, type LiveLine } from "./line";

const allTopics = [Topic.OPERATOR_UPDATES, Topic.EQUIPMENT, Topic.SUBSCRIPTION] as const;

// One stream per transport and person, because its content depends on the session.
const lines = new WeakMap<Transport, Map<string, LiveLine>>();

function lineOf(transport: Transport, client: QueryClient, person: string): LiveLine {
  const known = lines.get(transport) ?? new Map<string, LiveLine>();
  lines.set(transport, known);
  const line = known.get(person) ?? createLine(opener(transport), allTopics, refused(client));
  known.set(person, line);
  return line;
}

/** Subscribes to all topics, so that all watchers share one stream. */
function opener(transport: Transport) {
  const { watch } = createClient(EventsService, transport);
  return (signal: AbortSignal) => watch({}, { signal, timeoutMs: 0 });
}

const refused = (client: QueryClient) => () => checkSession(client);

function useLine(): LiveLine {
  const transport = useTransport();
  const client = useQueryClient();
  const user = useSession();
  return lineOf(transport, client, `${user?.companyId}/${user?.id}/${user?.role}`);
}

/**
 * Calls back when one of these topics has changed, or may have while the stream was down; the first
 * time when the stream opens. Return the promise of the refetch, so that calls don't pile up.
 * Inactive while signed out.
 */
export function useWatch(topics: readonly Topic[], onChanged: (changed: Changed) => unknown): void {
  const line = useLine();
  const ended = useSessionEnded();
  const signedIn = useSession() !== null;
  const tell = useEffectEvent(onChanged);
  const wanted = topics.join();
  useEffect(() => {
    if (ended || !signedIn) return undefined;
    const asked = allTopics.filter((topic) => wanted.split(",").includes(String(topic)));
    return line.watch({
      topics: asked,
      onChanged: (changed) => tell(changed),
    });
  }, [line, wanted, ended, signedIn]);
}

/** Whether the stream has been down for a while, and a manual refresh. */
export function useLiveLine(): { paused: boolean; refresh: () => void } {
  const line = useLine();
  const paused = useStore(line.paused);
  return { paused, refresh: line.refresh };
}
