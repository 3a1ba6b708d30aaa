import { MutationCache, QueryCache, QueryClient } from "@tanstack/react-query";
import { toFailure } from "./errors";
import { changeSession, sessionQuery } from "./session";

export function createQueryClient(): QueryClient {
  const client = new QueryClient({
    queryCache: new QueryCache({
      onError: (error) => {
        // The session ended elsewhere or by time: the screens of its company go at once.
        if (toFailure(error).status === 401) changeSession(client, null);
      },
    }),
    mutationCache: new MutationCache({
      onError: (error) => {
        // A write may also be refused for a wrong password, so the server is asked who is signed in.
        if (toFailure(error).status === 401) {
          void client.invalidateQueries({ queryKey: sessionQuery.queryKey });
        }
      },
    }),
    defaultOptions: {
      // Without a connection a call fails at once and says so, instead of waiting unseen.
      queries: {
        networkMode: "always",
        retry: false,
        refetchOnWindowFocus: false,
        staleTime: 0,
        gcTime: 0,
      },
      mutations: { networkMode: "always", retry: false },
    },
  });
  return client;
}
