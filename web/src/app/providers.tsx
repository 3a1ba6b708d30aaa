import { QueryClientProvider, type QueryClient } from "@tanstack/react-query";
import type { Transport } from "@connectrpc/connect";
import type { ReactNode } from "react";
import { TransportContext } from "#/api/transport";
import { ToasterOnDemand } from "#/shared/toast/toaster-on-demand";

export function Providers({
  queryClient,
  transport,
  children,
}: {
  queryClient: QueryClient;
  transport: Transport;
  children: ReactNode;
}) {
  return (
    <QueryClientProvider client={queryClient}>
      <TransportContext value={transport}>{children}</TransportContext>
      <ToasterOnDemand />
    </QueryClientProvider>
  );
}
