import { QueryObserver } from "@tanstack/react-query";
import { describe, expect, it, vi } from "vitest";
import { aheadMs, createQueryClient } from "./query-client";
import { sessionQuery } from "./session";

describe("section 9: data fetching", () => {
  it("does not retry, nor refetch on focus; data are stale at once and unused cache goes", () => {
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

  it("asks once and is told once, also when it fails", async () => {
    const client = createQueryClient();
    const ask = vi.fn<() => Promise<never>>(() => Promise.reject(new Error("Down")));
    await expect(client.fetchQuery({ queryKey: ["x"], queryFn: ask })).rejects.toThrow("Down");
    expect(ask).toHaveBeenCalledTimes(1);
    const write = vi.fn<() => Promise<never>>(() => Promise.reject(new Error("Down")));
    const mutation = client.getMutationCache().build(client, { mutationFn: write });
    await expect(mutation.execute(undefined)).rejects.toThrow("Down");
    expect(write).toHaveBeenCalledTimes(1);
  });

  it("forgets what nobody looks at", async () => {
    const client = createQueryClient();
    const observer = new QueryObserver(client, { queryKey: ["x"], queryFn: () => 1 });
    const stop = observer.subscribe(() => undefined);
    await vi.waitFor(() => expect(client.getQueryData(["x"])).toBe(1));
    stop();
    await vi.waitFor(() => expect(client.getQueryCache().getAll()).toHaveLength(0));
  });

  it("keeps the user for 30 s as fresh and for 60 s at all", () => {
    expect(sessionQuery).toMatchObject({ staleTime: 30_000, gcTime: 60_000 });
  });

  it("uses prefetched answers, unless they are old or have changed", async () => {
    vi.useFakeTimers();
    const client = createQueryClient();
    const queryFn = vi.fn<() => number>(() => 1);
    const ask = { queryKey: ["x"], queryFn };
    const ahead = { ...ask, staleTime: aheadMs, gcTime: aheadMs };
    const appear = async () => {
      const stop = new QueryObserver(client, ask).subscribe(() => undefined);
      await vi.advanceTimersByTimeAsync(0);
      stop();
    };
    await client.prefetchQuery(ahead);
    await client.prefetchQuery(ahead);
    await vi.advanceTimersByTimeAsync(aheadMs - 1);
    await appear();
    expect(queryFn).toHaveBeenCalledTimes(1);
    await client.invalidateQueries({ queryKey: ["x"] });
    await appear();
    expect(queryFn).toHaveBeenCalledTimes(2);
    await vi.advanceTimersByTimeAsync(aheadMs);
    expect(client.getQueryCache().getAll()).toHaveLength(0);
    vi.useRealTimers();
  });
});
