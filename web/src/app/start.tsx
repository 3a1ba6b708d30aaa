import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { StrictMode } from "react";
import { createRoot, type Root } from "react-dom/client";
import { askWhoIsThere } from "#/session/first-session";
import { LandingNavigation } from "#/features/landing/landing-link";
import { LandingPage } from "#/features/landing/landing-page";
import { ToasterOnDemand } from "#/shared/toast/toaster-on-demand";
import { textsReady } from "#/i18n";
import { isKnownDevice } from "./known-device";
import { registerServiceWorker } from "./service-worker/register";
import { SkipLink } from "./skip-link";
import { StartFailed } from "./start-failed";

/**
 * Shows the landing page with a fraction of the code where nobody has signed in on this device, and
 * the application everywhere else. It takes the page over as soon as a visitor goes on to a login.
 */
export function start(element: HTMLElement): Root {
  const root = createRoot(element);
  const queryClient = new QueryClient();
  const answer = askWhoIsThere();
  // A failure is told where the answer is used; until then nobody listens to it.
  answer.catch(() => undefined);
  const openApp = async (path?: string) => {
    const [{ showApp }] = await Promise.all([loadApp(), textsReady]);
    await showApp(root, answer, path);
    queryClient.clear();
  };
  const fail = () => root.render(<StartFailed />);
  if (window.location.pathname !== "/" || isKnownDevice()) {
    openApp().catch(fail);
    return root;
  }
  textsReady.then(() => showLanding(root, queryClient, openApp), fail);
  void answer.then(
    (user) => {
      if (user === null) registerServiceWorker("guest");
      else openApp().catch(fail);
    },
    // The landing page needs nobody to be asked; whoever goes on is told what is wrong.
    () => undefined,
  );
  return root;
}

function loadApp() {
  return import("./app-root");
}

function showLanding(
  root: Root,
  queryClient: QueryClient,
  openApp: (path: string) => Promise<void>,
): void {
  const navigation = {
    prepare: () => void loadApp().catch(() => undefined),
    // Where the code can't be had this way, the browser's own way is tried.
    go: (path: string) => void openApp(path).catch(() => window.location.assign(path)),
  };
  root.render(
    <StrictMode>
      <QueryClientProvider client={queryClient}>
        <SkipLink />
        <LandingNavigation value={navigation}>
          <LandingPage />
        </LandingNavigation>
        <ToasterOnDemand />
      </QueryClientProvider>
    </StrictMode>,
  );
}
