// Loaded with the frame: a call must work, or fail as one, when the connection goes.
import "./grpc-web-transport";
import { TransportProvider } from "@connectrpc/connect-query";
import { use, type ReactNode } from "react";
import { TransportContext } from "./transport";

/** Lets what is in it make grpc-web calls. */
export function GrpcWeb({ children }: { children: ReactNode }) {
  const transport = use(TransportContext);
  if (!transport) throw new Error("there is no transport");
  return <TransportProvider transport={transport}>{children}</TransportProvider>;
}
