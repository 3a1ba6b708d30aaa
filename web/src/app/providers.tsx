import { QueryClientProvider, type QueryClient } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { ToasterOnDemand } from "#/shared/toast/toaster-on-demand";
import { TooltipProvider } from "#/shared/ui/tooltip";

export function Providers({
  queryClient,
  children,
}: {
  queryClient: QueryClient;
  children: ReactNode;
}) {
  return (
    <QueryClientProvider client={queryClient}>
      <TooltipProvider>{children}</TooltipProvider>
      <ToasterOnDemand />
    </QueryClientProvider>
  );
}
