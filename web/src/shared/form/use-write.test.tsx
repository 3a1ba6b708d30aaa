import { Code, ConnectError, createRouterTransport } from "@connectrpc/connect";
import { TransportProvider } from "@connectrpc/connect-query";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { act, renderHook } from "@testing-library/react";
import type { ReactNode } from "react";
import { describe, expect, it } from "vitest";
import { EquipmentService } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { useWrite } from "./use-write";

/** Sends usage entries; the responses of the first `lost` calls get lost. */
function open(lost: number) {
  const keys: (string | null)[] = [];
  const transport = createRouterTransport(({ service }) => {
    service(EquipmentService, {
      recordUsage: (_, { requestHeader }) => {
        keys.push(requestHeader.get("Idempotency-Key"));
        if (keys.length <= lost) throw new ConnectError("lost", Code.Unavailable);
        return {};
      },
    });
  });
  const wrapper = ({ children }: { children: ReactNode }) => (
    <TransportProvider transport={transport}>
      <QueryClientProvider client={new QueryClient()}>{children}</QueryClientProvider>
    </TransportProvider>
  );
  const form = () => {
    const { result } = renderHook(() => useWrite(EquipmentService.method.recordUsage), { wrapper });
    return (usageIncrease: number) =>
      act(() => result.current.mutateAsync({ id: "e1", usageIncrease }).catch(() => null));
  };
  return { keys, form };
}

describe("the idempotency key of a form", () => {
  it("stays the same for a repeat after a lost response", async () => {
    const { keys, form } = open(2);
    const send = form();
    await send(8);
    await send(8);
    await send(8);
    expect(keys[0]).toMatch(/^[\da-f-]{36}$/);
    expect(keys).toEqual([keys[0], keys[0], keys[0]]);
  });

  it("changes with the content, and belongs to its content", async () => {
    const { keys, form } = open(2);
    const send = form();
    await send(8);
    await send(9);
    await send(8);
    expect(keys[1]).not.toBe(keys[0]);
    expect(keys[2]).toBe(keys[0]);
  });

  it("is new after a response and in another form", async () => {
    const { keys, form } = open(0);
    const send = form();
    await send(8);
    await send(8);
    await form()(8);
    expect(new Set(keys).size).toBe(3);
  });
});
