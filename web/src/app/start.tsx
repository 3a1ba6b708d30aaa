import { createRoot, type Root } from "react-dom/client";
import { askWhoIsThere } from "#/session/first-session";
import { textsReady } from "#/i18n";
import { lastAudience } from "./known-device";
import { StartFailed } from "./start-failed";

/** Shows the application, and asks who is signed in while its code is loading. */
export function start(element: HTMLElement): Root {
  const root = createRoot(element);
  const answer = askWhoIsThere();
  // A failure is shown where the answer is used.
  answer.catch(() => undefined);
  loadAhead().catch(() => undefined);
  Promise.all([import("./app-root"), textsReady]).then(
    ([{ showApp }]) => showApp(root, answer),
    () => root.render(<StartFailed />),
  );
  return root;
}

/** Loads the home page of the last audience while the server is asked who is signed in. */
async function loadAhead(): Promise<void> {
  // Visitors get another page there, so somebody is likely to be signed in.
  if (window.location.pathname !== "/") return;
  const audience = lastAudience();
  await Promise.all([
    import("./signed-in"),
    audience === "operator" && import("#/features/operator/operator-page"),
    audience === "manager" && import("#/routes/-manager-home"),
  ]);
}
