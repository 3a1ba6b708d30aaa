import type { Transport } from "@connectrpc/connect";
import { callUnaryMethod } from "@connectrpc/connect-query";
import { PushService } from "#/api/gen/hourmeter/notifications/v1/push_pb";
import { pushPersonKey, pushSubscriptions, unsubscribePush } from "#/device/push";
import type { Language } from "#/i18n";

const { addPushSubscription, removePushSubscription } = PushService.method;

export type PushState = "off" | "on" | "denied";

export const isPushSupported = (): boolean =>
  "serviceWorker" in navigator && "PushManager" in window && "Notification" in window;

/** Whether this browser shows the person's notifications. */
export async function readPushState(userId: string): Promise<PushState> {
  const { permission } = Notification;
  if (permission === "denied") return "denied";
  return permission === "granted" && (await ownSubscription(userId)) ? "on" : "off";
}

async function ownSubscription(userId: string): Promise<PushSubscription | undefined> {
  return isPersonHere(userId) ? (await pushSubscriptions())[0] : undefined;
}

const isPersonHere = (userId: string) => localStorage.getItem(pushPersonKey) === userId;

/**
 * Adds the person's subscription to a new session, and ends that of another person. Without a
 * language, because the session has ended, only the latter.
 */
export async function keepPush(
  transport: Transport,
  userId: string,
  language: Language | null,
): Promise<void> {
  if (!isPersonHere(userId)) return unsubscribePush();
  const subscription = await ownSubscription(userId);
  if (subscription && language) await add(transport, userId, subscription, language);
}

/** Asks for the permission, so nothing may be awaited between the press and this call. */
export async function turnOnPush(
  transport: Transport,
  userId: string,
  language: Language,
  publicKey: string,
): Promise<void> {
  if ((await Notification.requestPermission()) !== "granted") return;
  // From now on, `keepPush` does not end it.
  localStorage.setItem(pushPersonKey, userId);
  try {
    // That of another person or with another key can't be used again.
    await unsubscribePush();
    const { pushManager } = await activeWorker();
    const subscription = await pushManager.subscribe({
      userVisibleOnly: true,
      applicationServerKey: publicKey,
    });
    await add(transport, userId, subscription, language);
  } catch (error) {
    localStorage.removeItem(pushPersonKey);
    await unsubscribePush().catch(() => undefined);
    throw error;
  }
}

export async function turnOffPush(transport: Transport): Promise<void> {
  for (const { endpoint } of await pushSubscriptions()) {
    await callUnaryMethod(transport, removePushSubscription, { endpoint });
  }
  localStorage.removeItem(pushPersonKey);
  await unsubscribePush();
}

/** The service worker that shows the notifications, once it can. */
async function activeWorker(): Promise<ServiceWorkerRegistration> {
  const { serviceWorker } = navigator;
  // On Safari, managers have no worker, see `wantsServiceWorker`. With a scope without pages, it
  // handles no requests.
  const registration =
    (await serviceWorker.getRegistration()) ??
    (await serviceWorker.register("/sw.js", { scope: "/push/" }));
  const worker = registration.installing ?? registration.waiting;
  if (!registration.active && worker) {
    await new Promise<void>((resolve) => {
      worker.addEventListener("statechange", () => {
        if (worker.state !== "installed") resolve();
      });
    });
  }
  return registration;
}

function add(
  transport: Transport,
  userId: string,
  subscription: PushSubscription,
  language: Language,
): Promise<unknown> {
  const { endpoint, keys = {} } = subscription.toJSON();
  const input = { endpoint: endpoint ?? "", p256dh: keys.p256dh ?? "", auth: keys.auth ?? "" };
  // The session may be that of another person, who signed in in another tab.
  const headers = { "X-Expected-User": userId };
  return callUnaryMethod(transport, addPushSubscription, { ...input, language }, { headers });
}
