const address = "https://js.stripe.com/v3/";
const loadTimeoutMs = 10_000;

/** The provider's script failed to load; the checkout is not opened without it. */
export class StripeNotLoaded extends Error {
  constructor() {
    super("Stripe not loaded");
    this.name = "StripeNotLoaded";
  }
}

let loading: Promise<void> | null = null;

/** Loads the provider's script once; retries after a failure. */
export function loadStripe(): Promise<void> {
  loading ??= load().catch((error: unknown) => {
    loading = null;
    throw error;
  });
  return loading;
}

function load(): Promise<void> {
  return new Promise((resolve, reject) => {
    const script = document.createElement("script");
    const failed = () => {
      clearTimeout(timer);
      script.remove();
      reject(new StripeNotLoaded());
    };
    const timer = setTimeout(failed, loadTimeoutMs);
    script.src = address;
    script.addEventListener("error", failed);
    script.addEventListener("load", () => {
      if (!("Stripe" in window)) return failed();
      clearTimeout(timer);
      resolve();
    });
    document.head.append(script);
  });
}
