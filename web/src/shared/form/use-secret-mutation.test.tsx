import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { act, renderHook, waitFor } from "@testing-library/react";
import type { ReactNode } from "react";
import { describe, expect, it, vi } from "vitest";
import { useSecretMutation } from "./use-secret-mutation";

interface Typed {
  password: string;
}
type Mutation = Parameters<typeof useSecretMutation<Typed, string>>[0];

function show(mutation: Mutation) {
  const client = new QueryClient({ defaultOptions: { mutations: { gcTime: Infinity } } });
  const wrapper = ({ children }: { children: ReactNode }) => (
    <QueryClientProvider client={client}>{children}</QueryClientProvider>
  );
  const view = renderHook(() => useSecretMutation<Typed, string>(mutation), { wrapper });
  /** Everything in the cache. */
  const cached = () =>
    JSON.stringify(
      client
        .getMutationCache()
        .getAll()
        .map(({ state }) => state),
    );
  const send = (input: Typed) => act(() => view.result.current.mutate(input));
  return { view, cached, send };
}

/** A call that the test resolves. */
function pendingCall() {
  const call = Promise.withResolvers<string>();
  return { call, mutationFn: vi.fn<Mutation["mutationFn"]>(() => call.promise) };
}

describe("a mutation with a secret", () => {
  it("keeps its input out of the cache, during the call and afterwards", async () => {
    const { call, mutationFn } = pendingCall();
    const { view, cached, send } = show({ mutationFn });
    send({ password: "hunter2" });
    await waitFor(() => expect(mutationFn).toHaveBeenCalledWith({ password: "hunter2" }));
    expect(cached()).toContain("pending");
    expect(cached()).not.toContain("hunter2");
    await act(async () => call.resolve("in"));
    await waitFor(() => expect(view.result.current.isSuccess).toBe(true));
    expect(cached()).not.toContain("hunter2");
  });

  it("passes response and input to its callbacks", async () => {
    const onSuccess = vi.fn<NonNullable<Mutation["onSuccess"]>>();
    const { view, send } = show({ mutationFn: async () => "in", onSuccess });
    send({ password: "hunter2" });
    await waitFor(() => expect(view.result.current.data).toBe("in"));
    expect(onSuccess).toHaveBeenCalledWith("in", { password: "hunter2" });
  });

  it("passes a refusal and the input too, and keeps no trace of the input", async () => {
    const refusal = new Error("wrong");
    const onError = vi.fn<NonNullable<Mutation["onError"]>>();
    const { view, cached, send } = show({ mutationFn: () => Promise.reject(refusal), onError });
    send({ password: "hunter2" });
    await waitFor(() => expect(view.result.current.error).toBe(refusal));
    expect(onError).toHaveBeenCalledWith(refusal, { password: "hunter2" });
    expect(cached()).not.toContain("hunter2");
  });

  it("sends the latest input when it is used again", async () => {
    const mutationFn = vi.fn<Mutation["mutationFn"]>(async ({ password }) => password);
    const { view, send } = show({ mutationFn });
    send({ password: "first" });
    await waitFor(() => expect(view.result.current.data).toBe("first"));
    send({ password: "second" });
    await waitFor(() => expect(view.result.current.data).toBe("second"));
    expect(mutationFn).toHaveBeenCalledTimes(2);
  });

  it("runs once at a time", async () => {
    const { call, mutationFn } = pendingCall();
    const { view, send } = show({ mutationFn });
    send({ password: "first" });
    send({ password: "second" });
    await act(async () => call.resolve("in"));
    await waitFor(() => expect(view.result.current.isSuccess).toBe(true));
    expect(mutationFn.mock.calls).toEqual([[{ password: "first" }]]);
  });
});
