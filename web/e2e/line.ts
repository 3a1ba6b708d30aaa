import {
  createServer,
  request,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from "node:http";
import type { AddressInfo } from "node:net";

/**
 * A proxy to the product whose connection can be cut: between a call and its response, or
 * completely. The page is opened at `origin`; cookies ignore the port, so both addresses share
 * them.
 */
export async function line(product: string) {
  const target = new URL(product);
  let swallowed: string | null = null;
  let server: Server | null = null;
  let port = 0;

  function pass(asked: IncomingMessage, answer: ServerResponse): void {
    const { method, url: path = "/", headers } = asked;
    const onward = request(
      { host: target.hostname, port: target.port, method, path, headers },
      (given) => {
        // The product has handled the call; its response is dropped.
        if (`${method} ${path}` === swallowed) return void asked.socket.destroy();
        answer.writeHead(given.statusCode ?? 502, given.headers);
        given.pipe(answer);
      },
    );
    onward.on("error", () => answer.destroy());
    answer.on("close", () => onward.destroy());
    asked.pipe(onward);
  }

  async function start(): Promise<void> {
    const next = createServer(pass);
    server = next;
    await new Promise<void>((resolve) => next.listen(port, "127.0.0.1", resolve));
    const address = next.address();
    port = isAddress(address) ? address.port : port;
  }

  async function stop(): Promise<void> {
    const last = server;
    server = null;
    if (!last) return;
    last.closeAllConnections();
    await new Promise((resolve) => last.close(resolve));
  }

  await start();
  return {
    origin: `http://127.0.0.1:${port}`,
    start,
    stop,
    /** Drops every response to this call, "METHOD /path", after the product has sent it. */
    swallow: (call: string | null) => (swallowed = call),
  };
}

const isAddress = (address: AddressInfo | string | null): address is AddressInfo =>
  typeof address === "object" && address !== null;
