import { MutationCache, onlineManager, QueryCache, QueryClient } from "@tanstack/react-query";
import { toFailure } from "#/api/errors";
import { checkSession, sessionGcMs, sessionQuery } from "./session";

/** How long an answer is kept, and used, that was asked for before the page that shows it is there. */
export const aheadMs = 10_000;

export function createQueryClient(): QueryClient {
  // A page may be opened without a connection; it would else not notice when there is one.
  onlineManager.setOnline(navigator.onLine);
  // A session that ended elsewhere or by time shows in any call. A write may also be refused for a
  // wrong password, so the server is asked who is signed in.
  const onError = (error: Error) => {
    const { status, code } = toFailure(error);
    // The company may have begun to require a second factor, which then has to be set up first.
    // Another tab may have signed in somebody else.
    const isOver = status === 401 || code === "SECOND_FACTOR_REQUIRED" || code === "OTHER_PERSON";
    if (isOver) checkSession(client);
  };
  const client = new QueryClient({
    queryCache: new QueryCache({ onError }),
    mutationCache: new MutationCache({ onError }),
    defaultOptions: {
      // Without a connection a call fails at once and says so, instead of waiting unseen.
      queries: {
        networkMode: "always",
        retry: false,
        refetchOnWindowFocus: false,
        staleTime: 0,
        gcTime: 0,
        // A prefetched answer is not requested again when the page appears.
        refetchOnMount: ({ state }) =>
          state.isInvalidated || Date.now() - state.dataUpdatedAt > aheadMs,
      },
      // What a form sent may be a password: it is forgotten as soon as the form has gone.
      mutations: { networkMode: "always", retry: false, gcTime: 0 },
    },
  });
  // After a sign-in it is set before a component reads it.
  client.setQueryDefaults(sessionQuery.queryKey, { gcTime: sessionGcMs });
  return client;
}
