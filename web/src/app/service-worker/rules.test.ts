import { describe, expect, it } from "vitest";
import {
  assetCache,
  filesOf,
  isKeepable,
  isOutage,
  isShell,
  keptFor,
  outdatedCaches,
  pagesFor,
  shellCache,
  strategyFor,
  surplus,
} from "./rules";

const origin = "https://hourmeter.example";
const ask = (path: string, asked: Partial<{ method: string; mode: string }> = {}) =>
  strategyFor({ method: "GET", mode: "cors", url: new URL(path, origin).href, ...asked }, origin);
const open = { mode: "navigate" };

describe("how a request is answered", () => {
  it.each([
    "/api",
    "/api/auth/user",
    "/api/plans",
    "/api/logout",
    "/hourmeter.equipment.v1.EquipmentService/List",
  ])("never keeps %s, however it is asked for", (path) => {
    expect(ask(path)).toBe("network");
    expect(ask(path, open)).toBe("network");
    expect(ask(`${path}?x=1`)).toBe("network");
  });

  it.each(["POST", "PUT", "PATCH", "DELETE", "HEAD"])("leaves %s alone", (method) => {
    expect(ask("/", { ...open, method })).toBe("network");
    expect(ask("/assets/index-1.js", { method })).toBe("network");
  });

  it("leaves other origins alone", () => {
    expect(ask("https://js.stripe.com/v3/")).toBe("network");
    expect(ask("https://hourmeter.example.org/assets/a.js")).toBe("network");
    expect(ask("http://hourmeter.example/", open)).toBe("network");
  });

  it.each(["/", "/operator", "/equipment/due?type=vehicle", "/apiary"])(
    "asks for the page at %s anew",
    (path) => {
      expect(ask(path, open)).toBe("page");
      expect(ask(path)).toBe("network");
    },
  );

  it("takes files with a hash in their name from the cache", () => {
    expect(ask("/assets/index-abc123.js")).toBe("asset");
    expect(ask("/assets/text-abc123.woff2")).toBe("asset");
  });

  it("asks for files of a lasting name anew", () => {
    expect(ask("/theme-init.js")).toBe("file");
    expect(ask("/manifest.webmanifest")).toBe("file");
    expect(ask("/sw.js")).toBe("network");
    expect(ask("/anything.txt")).toBe("network");
    expect(ask("/file.pdf", open)).toBe("network");
  });
});

const answer = (type: string, status = 200, more: object = {}) => ({
  status,
  type: "basic" as const,
  redirected: false,
  headers: new Headers({ "content-type": type }),
  ...more,
});

describe("what may be kept", () => {
  it("is a whole file of ours", () => {
    expect(isKeepable(answer("text/javascript"))).toBe(true);
    expect(isKeepable(answer("text/javascript", 206))).toBe(false);
    expect(isKeepable(answer("text/javascript", 404))).toBe(false);
    expect(isKeepable(answer("text/javascript", 200, { type: "opaque" }))).toBe(false);
    // A proxy's page in place of a script would break every later start.
    expect(isKeepable(answer("text/html; charset=utf-8"))).toBe(false);
  });

  it("is, as the page, a page", () => {
    expect(isShell(answer("text/html"))).toBe(true);
    expect(isShell(answer("text/plain", 503))).toBe(false);
    expect(isShell(answer("text/html", 503))).toBe(false);
    expect(isShell(answer("text/html", 200, { redirected: true }))).toBe(false);
  });

  it("serves when the server is in trouble, not when it refuses", () => {
    expect([200, 304, 401, 404, 499].some(isOutage)).toBe(false);
    expect([500, 502, 503, 504].every(isOutage)).toBe(true);
  });
});

it("old versions go, what others keep, unchanged", () => {
  expect(
    outdatedCaches(["hourmeter-assets-0", assetCache, shellCache, "other-assets-1", "hourmeter-x"]),
  ).toEqual(["hourmeter-assets-0", "hourmeter-x"]);
});

it("the page names its own files", () => {
  const page = `<link rel="icon" href="/icon.svg"><script src="/theme-init.js"></script>
    <script type="module" src="/assets/index-1.js"></script><a href="/api/login/owner">x</a>
    <link rel="modulepreload" href="/assets/base-2.js"><img src="/assets/shot.webp"><script src="https://js.stripe.com/v3/">`;
  expect(filesOf(page)).toEqual([
    "/icon.svg",
    "/theme-init.js",
    "/assets/index-1.js",
    "/assets/base-2.js",
  ]);
});

describe("what is kept", () => {
  const pages = {
    "sign-in": ["assets/login-1.js"],
    "operator offline": ["assets/texts-person-en-1.js", "assets/texts-person-es-2.js"],
    dashboard: ["assets/home-1.js", "assets/texts-office-en-3.js", "assets/texts-office-es-4.js"],
    support: ["assets/support-1.js"],
  };
  const kept = (message: unknown) => keptFor(message, pages, origin);

  it.each([
    ["guest", ["/assets/login-1.js"]],
    ["staff", ["/assets/support-1.js"]],
    ["manager", ["/assets/home-1.js", "/assets/texts-office-es-4.js"]],
    ["operator", ["/assets/texts-person-en-1.js", "/assets/texts-person-es-2.js"]],
  ])("is the application with the files of a %s", (audience, files) => {
    expect(kept({ audience, language: "es" })).toEqual({
      source: "/index.html",
      path: "/index.html",
      files,
      replaces: audience === "guest" ? [] : ["/"],
    });
  });

  it("is the landing page in its language, with the pictures on it, for a visitor", () => {
    const pictures = [
      `${origin}/assets/shot-1.webp`,
      `${origin}/api/auth/user`,
      "https://evil.example/assets/b.webp",
      "",
      "http://[",
      7,
    ];
    expect(kept({ audience: "visitor", language: "es", pictures })).toEqual({
      source: "/landing-es.html",
      path: "/",
      files: ["/assets/shot-1.webp"],
      replaces: [],
    });
    expect(kept({ audience: "visitor", language: "en", pictures: "x" })?.files).toEqual([]);
  });

  it.each([
    null,
    "operator",
    {},
    { audience: "operator" },
    { audience: "constructor", language: "en" },
    { audience: "guest", language: "fr" },
    ["/assets/a.js"],
  ])("is nothing for the message %j", (message) => {
    expect(kept(message)).toBeNull();
  });

  it("answers at / with the landing page first, elsewhere with the application alone", () => {
    expect(pagesFor("/")).toEqual(["/", "/index.html"]);
    expect(pagesFor("/operator")).toEqual(["/index.html"]);
  });
});

it("the files kept longest go first", () => {
  const entries = Array.from({ length: 252 }, (_, index) => index);
  const none = () => false;
  expect(surplus(entries, none)).toEqual([0, 1]);
  expect(surplus(entries.slice(0, 250), none)).toEqual([]);
});

it("no file of the page goes, though it has been kept the longest", () => {
  const entries = Array.from({ length: 252 }, (_, index) => index);
  expect(surplus(entries, (entry) => entry < 2)).toEqual([2, 3]);
  expect(surplus(entries, () => true)).toEqual([]);
});
