import { describe, expect, it } from "vitest";
import { guideFor, installWay, type Device } from "./install-way";

const agents = {
  windows:
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36",
  mac: "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Safari/605.1.15",
  macChrome:
    "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36",
  firefox: "Mozilla/5.0 (X11; Linux x86_64; rv:142.0) Gecko/20100101 Firefox/142.0",
  iphone:
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1",
  android:
    "Mozilla/5.0 (Linux; Android 15; Pixel 8) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Mobile Safari/537.36",
};
const device = (userAgent: string, more: Partial<Device> = {}): Device => ({
  standalone: false,
  canPrompt: false,
  touchPoints: 0,
  userAgent,
  ...more,
});

describe("the way to install", () => {
  it.each([
    ["an iPhone", device(agents.iphone, { touchPoints: 5 }), "ios"],
    ["an iPad, which says it is a Macintosh", device(agents.mac, { touchPoints: 5 }), "ios"],
    ["Android without an offer", device(agents.android, { touchPoints: 5 }), "android"],
    ["Safari on a Mac", device(agents.mac), "mac"],
    ["Chrome on a Mac", device(agents.macChrome), "desktop"],
    ["Chrome on Windows", device(agents.windows), "desktop"],
    ["Firefox", device(agents.firefox), "desktop"],
    ["Chrome with an offer", device(agents.windows, { canPrompt: true }), "prompt"],
    ["Android with an offer", device(agents.android, { canPrompt: true }), "prompt"],
    ["the installed app", device(agents.iphone, { standalone: true }), "installed"],
    [
      "the installed app, offer or not",
      device(agents.windows, { standalone: true, canPrompt: true }),
      "installed",
    ],
  ] as const)("on %s", (_name, given, way) => {
    expect(installWay(given)).toBe(way);
  });

  it("puts the steps for this device first", () => {
    expect(guideFor("ios", agents.iphone)).toBe("ios");
    expect(guideFor("android", agents.android)).toBe("android");
    expect(guideFor("prompt", agents.android)).toBe("android");
    expect(guideFor("prompt", agents.windows)).toBe("computer");
    expect(guideFor("mac", agents.mac)).toBe("computer");
    expect(guideFor("desktop", agents.firefox)).toBe("computer");
  });
});
