import type { Transport } from "@connectrpc/connect";
import { createConnectQueryKey, createQueryOptions } from "@connectrpc/connect-query";
import { useQueryClient } from "@tanstack/react-query";
import { useCallback } from "react";
import { AccountsService, type SecondFactor } from "#/api/gen/hourmeter/accounts/v1/accounts_pb";
import { sessionQuery } from "#/session/session";

export function secondFactorQuery(transport: Transport) {
  return createQueryOptions(AccountsService.method.getSecondFactor, {}, { transport });
}

export function isOn(factor: SecondFactor): boolean {
  return factor.authenticatorSince !== undefined || factor.passkeys.length > 0;
}

/** A change affects the factor, notices and the session. */
export function useRefreshFactor(): () => Promise<void> {
  const client = useQueryClient();
  return useCallback(async () => {
    await Promise.all([
      client.invalidateQueries({
        queryKey: createConnectQueryKey({
          schema: AccountsService.method.getSecondFactor,
          cardinality: undefined,
        }),
      }),
      client.invalidateQueries({ queryKey: sessionQuery.queryKey }),
    ]);
  }, [client]);
}
