import { createRouterTransport, type Transport } from "@connectrpc/connect";
import { TransportProvider } from "@connectrpc/connect-query";
import { createMemoryHistory, RouterProvider } from "@tanstack/react-router";
import { render } from "@testing-library/react";
import type { ReactNode } from "react";
import { vi } from "vitest";
import { createQueryClient } from "#/session/query-client";
import { Providers } from "#/app/providers";
import { changeLanguage } from "#/i18n";
import { createAppRouter } from "#/router";

export interface Answer {
  status: number;
  body?: unknown;
  headers?: Record<string, string>;
}
export interface Call {
  method: string;
  path: string;
  body: unknown;
  headers: Headers;
  credentials: RequestCredentials | undefined;
}

export type Routes = Record<string, Answer | ((call: Call) => Answer | Promise<Answer>)>;

/** A stub of the gateway's REST API: one response per "METHOD /path", or a function. */
export function stubRest(answers: Routes): Call[] {
  const calls: Call[] = [];
  vi.stubGlobal("fetch", async (path: string, init: RequestInit = {}) => {
    const method = init.method ?? "GET";
    const body: unknown = typeof init.body === "string" ? JSON.parse(init.body) : undefined;
    const call = {
      method,
      path,
      body,
      headers: new Headers(init.headers),
      credentials: init.credentials,
    };
    calls.push(call);
    const [pathname = ""] = path.split("?");
    const found = answers[`${method} ${path}`] ?? answers[`${method} ${pathname}`] ?? notFound;
    const answer = typeof found === "function" ? await found(call) : found;
    const text = answer.body === undefined ? null : JSON.stringify(answer.body);
    return new Response(text, answer);
  });
  return calls;
}

const notFound: Answer = { status: 404, body: { message: "Not found" } };

export const visitor: Answer = { status: 401, body: { message: "Not signed in" } };

export const owner = {
  id: "u1",
  companyId: "c1",
  firstName: null,
  lastName: null,
  email: "ana@acme.test",
  secondaryEmail: null,
  role: "owner",
  businessName: "Acme Earthworks",
  operatorUsername: null,
  securityQuestionsSet: false,
  notices: [],
};

export const operator = { ...owner, id: "u2", role: "operator", operatorUsername: "maria4821" };

/** Renders the client with its real routes at `path`. */
export async function renderApp(
  path: string,
  transport: Transport = createRouterTransport(() => undefined),
) {
  await changeLanguage("en");
  const queryClient = createQueryClient();
  const history = createMemoryHistory({ initialEntries: [path] });
  const router = createAppRouter({ queryClient, transport }, history);
  // Its timer could fire after the test, without a window.
  router.update({ ...router.options, defaultPendingMs: Infinity });
  render(
    <Providers queryClient={queryClient} transport={transport}>
      <RouterProvider router={router} />
    </Providers>,
  );
  return { router, queryClient };
}

/** Renders a part of a page that needs no route, with the same providers. */
export async function renderPart(part: ReactNode, transport: Transport) {
  await changeLanguage("en");
  const queryClient = createQueryClient();
  render(
    <Providers queryClient={queryClient} transport={transport}>
      <TransportProvider transport={transport}>{part}</TransportProvider>
    </Providers>,
  );
  return { queryClient };
}
