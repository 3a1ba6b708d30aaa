import type { Transport } from "@connectrpc/connect";
import { TransportProvider } from "@connectrpc/connect-query";
import { QueryClientProvider, type QueryClient } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { PrintHost } from "#/shared/print/print-host";
import { Toaster } from "#/shared/toast/toaster";
import { TooltipProvider } from "#/shared/ui/tooltip";

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
    <TransportProvider transport={transport}>
      <QueryClientProvider client={queryClient}>
        <TooltipProvider>{children}</TooltipProvider>
        <Toaster />
        <PrintHost />
      </QueryClientProvider>
    </TransportProvider>
  );
}
