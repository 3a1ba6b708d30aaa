import { QueryObserver } from "@tanstack/react-query";
import { describe, expect, it, vi } from "vitest";
import { prefetchMs, createQueryClient } from "./query-client";
import { sessionQuery } from "./session";

describe("data fetching", () => {
  it("does not retry or refetch on focus; data are stale immediately and unused data are removed", () => {
    const { queries, mutations } = createQueryClient().getDefaultOptions();
    expect(queries).toMatchObject({
      retry: false,
      refetchOnWindowFocus: false,
      staleTime: 0,
      gcTime: 0,
    });
    expect(queries?.refetchInterval).toBeUndefined();
    expect(mutations?.retry).toBe(false);
  });

  it("calls a query and a mutation once, also when they fail", async () => {
    const client = createQueryClient();
    const ask = vi.fn<() => Promise<never>>(() => Promise.reject(new Error("Down")));
    await expect(client.fetchQuery({ queryKey: ["x"], queryFn: ask })).rejects.toThrow("Down");
    expect(ask).toHaveBeenCalledTimes(1);
    const write = vi.fn<() => Promise<never>>(() => Promise.reject(new Error("Down")));
    const mutation = client.getMutationCache().build(client, { mutationFn: write });
    await expect(mutation.execute(undefined)).rejects.toThrow("Down");
    expect(write).toHaveBeenCalledTimes(1);
  });

  it("removes data without an observer", async () => {
    const client = createQueryClient();
    const observer = new QueryObserver(client, { queryKey: ["x"], queryFn: () => 1 });
    const stop = observer.subscribe(() => undefined);
    await vi.waitFor(() => expect(client.getQueryData(["x"])).toBe(1));
    stop();
    await vi.waitFor(() => expect(client.getQueryCache().getAll()).toHaveLength(0));
  });

  it("keeps the session fresh for 30 s and cached for 60 s", () => {
    expect(sessionQuery).toMatchObject({ staleTime: 30_000, gcTime: 60_000 });
  });

  it("uses prefetched data unless they are old or invalidated", async () => {
    vi.useFakeTimers();
    const client = createQueryClient();
    const queryFn = vi.fn<() => number>(() => 1);
    const ask = { queryKey: ["x"], queryFn };
    const ahead = { ...ask, staleTime: prefetchMs, gcTime: prefetchMs };
    const appear = async () => {
      const stop = new QueryObserver(client, ask).subscribe(() => undefined);
      await vi.advanceTimersByTimeAsync(0);
      stop();
    };
    await client.prefetchQuery(ahead);
    await client.prefetchQuery(ahead);
    await vi.advanceTimersByTimeAsync(prefetchMs - 1);
    await appear();
    expect(queryFn).toHaveBeenCalledTimes(1);
    await client.invalidateQueries({ queryKey: ["x"] });
    await appear();
    expect(queryFn).toHaveBeenCalledTimes(2);
    await vi.advanceTimersByTimeAsync(prefetchMs);
    expect(client.getQueryCache().getAll()).toHaveLength(0);
    vi.useRealTimers();
  });
});
