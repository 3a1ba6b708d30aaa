import { describe, expect, it } from "vitest";
import { wantsServiceWorker } from "./register";

const agents = {
  chrome:
    "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36",
  android:
    "Mozilla/5.0 (Linux; Android 15; Pixel 8) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Mobile Safari/537.36",
  firefox: "Mozilla/5.0 (X11; Linux x86_64; rv:142.0) Gecko/20100101 Firefox/142.0",
  safari:
    "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Safari/605.1.15",
  iphone:
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1",
  iphoneChrome:
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/140.0 Mobile/15E148 Safari/604.1",
} as const;

describe("the service worker", () => {
  it.each(Object.values(agents))("is registered for operators on %s", (agent) => {
    expect(wantsServiceWorker("operator", agent)).toBe(true);
  });

  it.each(["guest", "manager", "staff"] as const)(
    "is not registered in Safari for a %s",
    (audience) => {
      expect(wantsServiceWorker(audience, agents.safari)).toBe(false);
      expect(wantsServiceWorker(audience, agents.iphone)).toBe(false);
      expect(wantsServiceWorker(audience, agents.iphoneChrome)).toBe(false);
      expect(wantsServiceWorker(audience, agents.chrome)).toBe(true);
      expect(wantsServiceWorker(audience, agents.android)).toBe(true);
      expect(wantsServiceWorker(audience, agents.firefox)).toBe(true);
    },
  );
});
