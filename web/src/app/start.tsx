import { createRoot, type Root } from "react-dom/client";
import { askWhoIsThere, isLate } from "#/session/first-session";
import { loadTexts, textsReady } from "#/i18n";
import { lastAudience } from "./known-device";
import { loadHome } from "./load-home";
import { StartFailed } from "./start-failed";

/** Shows the first page, and asks who is signed in while its code is loading. */
export function start(element: HTMLElement): Root {
  const root = createRoot(element);
  const answer = askWhoIsThere();
  // A failure is shown where the answer is used.
  answer.catch(() => undefined);
  showFirstPage(root, answer).catch(() => root.render(<StartFailed />));
  return root;
}

async function showFirstPage(root: Root, answer: Promise<unknown>): Promise<void> {
  // The gateway serves a page of their own at the addresses to sign in at.
  if (document.documentElement.dataset.page === "sign-in") {
    const [isOpen, { showSignIn }] = await Promise.all([
      isNobodySignedIn(answer),
      import("./sign-in"),
      textsReady,
      loadTexts("visitor"),
    ]);
    if (isOpen) return showSignIn(root);
  }
  // Visitors get another page there, so somebody is likely to be signed in.
  if (window.location.pathname === "/") loadHome(lastAudience()).catch(() => undefined);
  const [{ showApp }] = await Promise.all([import("./app-root"), textsReady]);
  showApp(root, answer);
}

/** Without an answer the application decides, which shows an operator's page without a connection. */
async function isNobodySignedIn(answer: Promise<unknown>): Promise<boolean> {
  if (lastAudience() === "operator" && (await isLate(answer))) return false;
  return answer.then(
    (user) => user === null,
    () => false,
  );
}
