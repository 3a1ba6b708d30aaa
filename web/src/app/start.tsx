import { createRoot, type Root } from "react-dom/client";
import { requestSession, isLate } from "#/session/first-session";
import { loadTexts, textsReady } from "#/i18n";
import { key, type TextKey } from "#/i18n/key";
import { lastAudience } from "./known-device";
import { isHome, loadHome } from "./load-home";
import { StartFailed } from "./start-failed";

/** Shows the first page, and requests the session while its code loads. */
export function start(element: HTMLElement): Root {
  const showFailure = (reason: TextKey) => root.render(<StartFailed reason={reason} />);
  // React removes the page after an error outside of the router's pages.
  const root = createRoot(element, {
    onUncaughtError: (error) => {
      console.error(error);
      showFailure(key("shell.error.text"));
    },
  });
  const answer = requestSession();
  // The caller of the response handles its failure.
  answer.catch(() => undefined);
  showFirstPage(root, answer).catch(() => showFailure(key("errors.network")));
  return root;
}

async function showFirstPage(root: Root, answer: Promise<unknown>): Promise<void> {
  // The gateway serves a separate page at the sign-in addresses.
  if (document.documentElement.dataset.page === "sign-in") {
    const [isVisitor, { showSignIn }] = await Promise.all([
      isSignedOut(answer),
      import("./sign-in"),
      textsReady,
      loadTexts("visitor"),
    ]);
    if (isVisitor) return showSignIn(root);
  }
  // Visitors get another page there, so a user is probably signed in.
  const audience = lastAudience();
  if (isHome(window.location.pathname, audience)) loadHome(audience).catch(() => undefined);
  const [{ showApp }] = await Promise.all([import("./app-root"), textsReady]);
  await showApp(root, answer);
}

/** False without a response: the application then shows an operator's page offline. */
async function isSignedOut(answer: Promise<unknown>): Promise<boolean> {
  if (lastAudience() === "operator" && (await isLate(answer))) return false;
  return answer.then(
    (user) => user === null,
    () => false,
  );
}
