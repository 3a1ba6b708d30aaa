import type { Transport } from "@connectrpc/connect";
import { createContext } from "react";

/** For `GrpcWeb`, which provides it to pages with grpc-web calls. */
export const TransportContext = createContext<Transport | null>(null);

/** The grpc-web transport; its code is loaded with the first call. */
export function createTransport(baseUrl: string): Transport {
  let loading: Promise<Transport> | undefined;
  const load = () =>
    (loading ??= import("./grpc-web-transport").then(
      ({ createGrpcWeb }) => createGrpcWeb(baseUrl),
      (error: unknown) => {
        loading = undefined;
        throw error;
      },
    ));
  return {
    unary: async (...call) => (await load()).unary(...call),
    stream: async (...call) => (await load()).stream(...call),
  };
}
