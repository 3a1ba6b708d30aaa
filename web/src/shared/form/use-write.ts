import type { DescMessage, DescMethodUnary } from "@bufbuild/protobuf";
import type { Transport } from "@connectrpc/connect";
import { useMutation, useTransport, type UseMutationOptions } from "@connectrpc/connect-query";
import { useMemo } from "react";
import { randomId } from "#/shared/random-id";

/** A mutation of one opened form, whose repeat after a lost response counts once. */
export function useWrite<I extends DescMessage, O extends DescMessage>(
  method: DescMethodUnary<I, O>,
  { transport, ...options }: UseMutationOptions<I, O> = {},
) {
  return useMutation(method, { ...options, transport: useWriteTransport(transport) });
}

/**
 * For the writes of one opened form. A repeat of the same content keeps its idempotency key until
 * the server has answered it. Not for secrets, because it holds the content.
 */
export function useWriteTransport(given?: Transport): Transport {
  const fallback = useTransport();
  const transport = given ?? fallback;
  return useMemo(() => writeTransport(transport), [transport]);
}

/** The same outside a component, e.g. for each of several writes whose content may be equal. */
export function writeTransport(transport: Transport): Transport {
  const keys = new Map<string, string>();
  return {
    stream: (...call) => transport.stream(...call),
    unary: async (method, signal, timeoutMs, header, input, contextValues) => {
      const content = JSON.stringify([method.name, input], (_, value: unknown) =>
        typeof value === "bigint" ? String(value) : value,
      );
      const key = keys.get(content) ?? randomId();
      keys.set(content, key);
      const headers = new Headers(header);
      headers.set("Idempotency-Key", key);
      const response = await transport.unary(
        method,
        signal,
        timeoutMs,
        headers,
        input,
        contextValues,
      );
      keys.delete(content);
      return response;
    },
  };
}
