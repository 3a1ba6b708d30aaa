import { createStore } from "../store";
import { installWay, type InstallWay } from "./install-way";

/** Chromium's event; the DOM library does not know it. */
interface InstallPromptEvent extends Event {
  prompt: () => Promise<unknown>;
  readonly userChoice: Promise<{ outcome: "accepted" | "dismissed" }>;
}

function isInstallPrompt(event: Event): event is InstallPromptEvent {
  return "prompt" in event && typeof event.prompt === "function";
}

const asApp = window.matchMedia("(display-mode: standalone)");
let offered: InstallPromptEvent | null = null;
let justInstalled = false;
/** How this browser installs the application. */
export const shownInstallWay = createStore(read());
const changed = () => shownInstallWay.set(read());

// Listened for from the start: the browser offers it once, when it pleases.
window.addEventListener("beforeinstallprompt", (event) => {
  if (!isInstallPrompt(event)) return;
  // Our button asks instead of the browser's own bar.
  event.preventDefault();
  offered = event;
  changed();
});

window.addEventListener("appinstalled", () => {
  offered = null;
  justInstalled = true;
  changed();
});

asApp.addEventListener("change", changed);

/** Safari's word for it on an iPhone. */
function isHomeScreenApp(): boolean {
  return "standalone" in navigator && navigator.standalone === true;
}

function read(): InstallWay {
  return installWay({
    standalone: justInstalled || asApp.matches || isHomeScreenApp(),
    canPrompt: offered !== null,
    userAgent: navigator.userAgent,
    touchPoints: navigator.maxTouchPoints,
  });
}

/** Asks the browser to install; an offer can be used once, whatever the answer. */
export async function promptInstall(): Promise<void> {
  const event = offered;
  if (!event) return;
  offered = null;
  await event.prompt();
  const { outcome } = await event.userChoice;
  if (outcome === "accepted") justInstalled = true;
  changed();
}
