import { createStore } from "../store";
import { installWay, type InstallWay } from "./install-way";

/** Chromium's event, which the DOM types lack. */
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

// Registered from the start, because the browser fires it once at any time.
window.addEventListener("beforeinstallprompt", (event) => {
  if (!isInstallPrompt(event)) return;
  // Our button replaces the browser's own bar.
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

/** Safari's property on an iPhone. */
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

/** Shows the browser's install prompt, which can be used once. */
export async function promptInstall(): Promise<void> {
  const event = offered;
  if (!event) return;
  offered = null;
  await event.prompt();
  const { outcome } = await event.userChoice;
  if (outcome === "accepted") justInstalled = true;
  changed();
}
