export type InstallWay =
  /** Opened as an app, or just installed. */
  | "installed"
  /** The browser offers an install prompt. */
  | "prompt"
  /** Manually, by the menus of this device's browser. */
  | "ios"
  | "android"
  | "mac"
  | "desktop";

export interface Device {
  standalone: boolean;
  canPrompt: boolean;
  userAgent: string;
  touchPoints: number;
}

export function installWay({ standalone, canPrompt, userAgent, touchPoints }: Device): InstallWay {
  if (standalone) return "installed";
  if (canPrompt) return "prompt";
  if (/iPhone|iPad|iPod/.test(userAgent)) return "ios";
  if (/Android/.test(userAgent)) return "android";
  if (/Macintosh/.test(userAgent)) {
    // An iPad identifies as Macintosh, but no Macintosh has a touch screen.
    if (touchPoints > 1) return "ios";
    if (/Safari\//.test(userAgent) && !/Chrome|Chromium|Edg|OPR/.test(userAgent)) return "mac";
  }
  return "desktop";
}

export type InstallGuide = "ios" | "android" | "computer";

/** The device whose steps come first. */
export function guideFor(way: InstallWay, userAgent: string): InstallGuide {
  switch (way) {
    case "ios":
    case "android":
      return way;
    case "mac":
    case "desktop":
      return "computer";
    case "prompt":
    case "installed":
      return /Android/.test(userAgent) ? "android" : "computer";
  }
}
