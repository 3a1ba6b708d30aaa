import type { Transport } from "@connectrpc/connect";
import { useTransport } from "@connectrpc/connect-query";
import { useMemo } from "react";
import { withReauth } from "./reauth";

/** For calls that may require a recent sign-in: asks for the password and repeats the call. */
export function useReauthTransport(): Transport {
  const transport = useTransport();
  return useMemo(
    () => ({
      stream: (...call) => transport.stream(...call),
      unary: (...call) => withReauth(() => transport.unary(...call)),
    }),
    [transport],
  );
}
