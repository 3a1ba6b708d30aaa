import { MutationCache, onlineManager, QueryCache, QueryClient } from "@tanstack/react-query";
import { toFailure } from "#/api/errors";
import { checkSession, sessionGcMs, sessionQuery } from "./session";
import { dispatch } from "./state";

/** The lifetime of a response that was requested before its page appears. */
export const prefetchMs = 10_000;

export function createQueryClient(): QueryClient {
  dispatch({ type: "started" });
  // A page may open without a connection; the manager would not notice the next change.
  onlineManager.setOnline(navigator.onLine);
  // Any call can reveal that the session has ended. Wrong passwords are 401 too, so the session is
  // checked first.
  const onError = (error: Error) => {
    const { status, code } = toFailure(error);
    // The company may have started to require a second factor.
    // Another user may have signed in in another tab.
    const isOver = status === 401 || code === "SECOND_FACTOR_REQUIRED" || code === "OTHER_PERSON";
    if (isOver) checkSession(client);
  };
  const client = new QueryClient({
    queryCache: new QueryCache({ onError }),
    mutationCache: new MutationCache({ onError }),
    defaultOptions: {
      // Without a connection a call fails immediately instead of waiting.
      queries: {
        networkMode: "always",
        retry: false,
        refetchOnWindowFocus: false,
        staleTime: 0,
        gcTime: 0,
        // A prefetched response is not requested again when the page appears.
        refetchOnMount: ({ state }) =>
          state.isInvalidated || Date.now() - state.dataUpdatedAt > prefetchMs,
      },
      // Variables may contain a password, so they are removed with the form.
      mutations: { networkMode: "always", retry: false, gcTime: 0 },
    },
  });
  // After a sign-in it is set before a component reads it.
  client.setQueryDefaults(sessionQuery.queryKey, { gcTime: sessionGcMs });
  return client;
}
