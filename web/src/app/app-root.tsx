import { startTransition, StrictMode, useEffect, useState, type ReactNode } from "react";
import type { Root } from "react-dom/client";
import { createQueryClient } from "#/session/query-client";
import {
  changeSession,
  enterByPin,
  firstSessionQuery,
  useSession,
  type User,
} from "#/session/session";
import { createTransport } from "#/api/transport";
import { audienceOf } from "#/domain/permissions";
import type { RouterContext } from "#/router-context";
import { afterFrame } from "#/shared/idle";
import { lazyLoaded } from "#/shared/lazy-loaded";
import { loadPersistently } from "#/shared/lazy-part";
import { lastAudience, rememberDevice } from "./known-device";
import { isOperatorStart } from "./is-operator-start";
import { isHome, loadHome, loadOperatorStart, loadPages } from "./load-home";
import { Providers } from "./providers";
import { registerServiceWorker } from "./service-worker/register";
import { Starting } from "./starting";
import "../styles/index.css";

// A separate chunk, so that managers don't load it.
const OperatorStart = lazyLoaded(loadOperatorStart);

/** A skeleton appears after this time. */
const pendingMs = 300;

/** Renders the application at the current address. */
export async function showApp(root: Root, firstSession: Promise<unknown>): Promise<void> {
  const context = createContext(false);
  const timer = setTimeout(() => root.render(<Starting />), pendingMs);
  // The response was requested while this code loaded; the router shows its failure.
  const session = context.queryClient.fetchQuery(firstSessionQuery(firstSession)).catch(() => null);
  const path = window.location.pathname;
  try {
    const mayStart = lastAudience() === "operator" && isHome(path, "operator");
    if (mayStart && isOperatorStart(await session, path)) {
      await loadHome("operator");
      return render(root, context, null);
    }
    render(root, context, await loadedPages(context));
  } finally {
    clearTimeout(timer);
  }
}

/** Renders the application at `path`, in place of the page on which `user` has signed in. */
export async function enterApp(root: Root, user: User, path: string, byPin = false): Promise<void> {
  const isOperator = isOperatorStart(user, path);
  try {
    await (isOperator ? loadHome("operator") : loadPages());
  } catch {
    return window.location.assign(path);
  }
  window.history.pushState(null, "", path);
  const context = createContext(true);
  void (byPin ? enterByPin : changeSession)(context.queryClient, user);
  render(root, context, isOperator ? null : await loadedPages(context));
}

/** The router's pages, when the code of the first one is loaded. */
async function loadedPages(context: RouterContext): Promise<ReactNode> {
  const { createAppRouter, Pages } = await loadPages();
  const router = createAppRouter(context);
  await router.load();
  return <Pages router={router} />;
}

function createContext(isContinued: boolean): RouterContext {
  const transport = createTransport(window.location.origin);
  return { queryClient: createQueryClient(), transport, isContinued };
}

function render(root: Root, context: RouterContext, pages: ReactNode): void {
  // React delays content that replaces a fallback. In a transition it renders loaded code at once.
  startTransition(() =>
    root.render(
      <StrictMode>
        <Providers queryClient={context.queryClient} transport={context.transport}>
          <PrepareDevice />
          <App context={context} first={pages} />
        </Providers>
      </StrictMode>,
    ),
  );
}

/** The router's pages; without them the operator page, until another page is opened. */
function App({ context, first }: { context: RouterContext; first: ReactNode }) {
  const [pages, setPages] = useState(first);
  return pages ?? <OperatorStart context={context} onPages={setPages} />;
}

/** Stores that a user is signed in, and caches the files of their pages. */
function PrepareDevice() {
  const user = useSession();
  const audience = audienceOf(user);
  useEffect(() => {
    if (user) rememberDevice(audience);
  }, [user, audience]);
  // Crews share phones and sign out on them without signal.
  useEffect(() => {
    if (audience === "operator")
      afterFrame(() => {
        const code = loadPersistently(() => import("./offline-code"));
        code.then(({ loadForOffline }) => loadForOffline()).catch(() => undefined);
      });
  }, [audience]);
  useEffect(() => registerServiceWorker(audience), [audience]);
  return null;
}
