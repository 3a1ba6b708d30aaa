// Loaded with the frame, so that calls work, or fail with an error, after the connection is lost.
import "./grpc-web-transport";
import { TransportProvider } from "@connectrpc/connect-query";
import { use, type ReactNode } from "react";
import { TransportContext } from "./transport";

/** Provides the grpc-web transport to its children. */
export function GrpcWeb({ children }: { children: ReactNode }) {
  const transport = use(TransportContext);
  if (!transport) throw new Error("there is no transport");
  return <TransportProvider transport={transport}>{children}</TransportProvider>;
}
