import { createRoot, type Root } from "react-dom/client";
import { askWhoIsThere } from "#/session/first-session";
import { textsReady } from "#/i18n";
import { StartFailed } from "./start-failed";

/** Shows the application, and asks who is signed in while its code is loading. */
export function start(element: HTMLElement): Root {
  const root = createRoot(element);
  const answer = askWhoIsThere();
  // A failure is shown where the answer is used.
  answer.catch(() => undefined);
  Promise.all([import("./app-root"), textsReady]).then(
    ([{ showApp }]) => showApp(root, answer),
    () => root.render(<StartFailed />),
  );
  return root;
}
