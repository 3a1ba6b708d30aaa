const address = "https://js.stripe.com/v3/";
const loadTimeoutMs = 10_000;

/** The provider's script did not come; without it the checkout is not opened. */
export class StripeNotLoaded extends Error {
  constructor() {
    super("Stripe not loaded");
    this.name = "StripeNotLoaded";
  }
}

let loading: Promise<void> | null = null;

/** Loads the provider's script, once; one that did not come is tried again the next time. */
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
