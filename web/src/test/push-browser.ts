import { onTestFinished } from "vitest";

/** A browser with Web Push until the end of the test, as far as it is used here. */
export function stubPushBrowser(permission: NotificationPermission = "default") {
  const state = {
    permission,
    /** The answer to the question for the permission. */
    answer: "granted" as NotificationPermission,
    asked: 0,
    keys: [] as unknown[],
    subscription: null as PushSubscription | null,
    /** Whether the page has a service worker, and the scopes of those that were registered. */
    controlled: true,
    scopes: [] as unknown[],
    refuses: false,
  };
  const subscribe = () => {
    const endpoint = "https://push.example/1";
    state.subscription = {
      endpoint,
      expirationTime: null,
      options: { applicationServerKey: null, userVisibleOnly: true },
      getKey: () => null,
      toJSON: () => ({ endpoint, keys: { p256dh: "point", auth: "secret" } }),
      unsubscribe: async () => {
        state.subscription = null;
        return true;
      },
    };
    return state.subscription;
  };
  const registration = {
    active: {},
    pushManager: {
      getSubscription: async () => state.subscription,
      subscribe: async ({ applicationServerKey }: PushSubscriptionOptionsInit) => {
        if (state.refuses) throw new DOMException("no push service", "AbortError");
        state.keys.push(applicationServerKey);
        return subscribe();
      },
    },
  };
  define(window, "PushManager", {});
  define(window, "Notification", {
    get permission() {
      return state.permission;
    },
    requestPermission: async () => {
      state.asked += 1;
      state.permission = state.answer;
      return state.permission;
    },
  });
  define(navigator, "serviceWorker", {
    getRegistration: async () => (state.controlled ? registration : undefined),
    getRegistrations: async () => [registration],
    register: async (path: string, { scope }: RegistrationOptions) => {
      state.scopes.push([path, scope]);
      return registration;
    },
  });
  return { state, subscribe };
}

/** jsdom has none of these. */
function define(target: object, name: string, value: unknown): void {
  Object.defineProperty(target, name, { value, configurable: true });
  onTestFinished(() => void Reflect.deleteProperty(target, name));
}
