import { createClient, type Transport } from "@connectrpc/connect";
import { useTransport } from "@connectrpc/connect-query";
import { useQueryClient, type QueryClient } from "@tanstack/react-query";
import { useEffect, useEffectEvent } from "react";
import { EventsService, Topic } from "#/api/gen/hourmeter/events/v1/events_pb";
import { checkSession, useSession } from "#/session/session";
import { useSessionEnded } from "#/session/state";
import { useStore } from "../store";
import { createLiveStream, type Changed, type LiveStream } from "./stream";

const allTopics = [
  Topic.OPERATOR_UPDATES,
  Topic.EQUIPMENT,
  Topic.SUBSCRIPTION,
  Topic.NOTIFICATIONS,
] as const;

// One stream per transport and person, because its content depends on the session.
const streams = new WeakMap<Transport, Map<string, LiveStream>>();

function streamOf(transport: Transport, client: QueryClient, person: string): LiveStream {
  const byPerson = streams.get(transport) ?? new Map<string, LiveStream>();
  streams.set(transport, byPerson);
  const stream =
    byPerson.get(person) ?? createLiveStream(opener(transport), allTopics, refused(client));
  byPerson.set(person, stream);
  return stream;
}

/** Subscribes to all topics, so that all watchers share one stream. */
function opener(transport: Transport) {
  const { watch } = createClient(EventsService, transport);
  return (signal: AbortSignal) => watch({}, { signal, timeoutMs: 0 });
}

const refused = (client: QueryClient) => () => checkSession(client);

function useStream(): LiveStream {
  const transport = useTransport();
  const client = useQueryClient();
  const user = useSession();
  return streamOf(transport, client, `${user?.companyId}/${user?.id}/${user?.role}`);
}

/**
 * Calls back when one of these topics has changed, or may have while the stream was down; the first
 * time when the stream opens. Return the promise of the refetch, so that calls don't pile up.
 * Inactive while signed out.
 */
export function useWatch(topics: readonly Topic[], onChanged: (changed: Changed) => unknown): void {
  const stream = useStream();
  const ended = useSessionEnded();
  const signedIn = useSession() !== null;
  const notify = useEffectEvent(onChanged);
  const wanted = topics.join();
  useEffect(() => {
    if (ended || !signedIn) return undefined;
    const topicsWanted = allTopics.filter((topic) => wanted.split(",").includes(String(topic)));
    return stream.watch({
      topics: topicsWanted,
      onChanged: (changed) => notify(changed),
    });
  }, [stream, wanted, ended, signedIn]);
}

/** Whether the stream has been down for a while, and a manual refresh. */
export function useLiveStream(): { paused: boolean; refresh: () => void } {
  const stream = useStream();
  const paused = useStore(stream.paused);
  return { paused, refresh: stream.refresh };
}
