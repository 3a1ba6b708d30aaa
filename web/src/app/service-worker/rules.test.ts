import { describe, expect, it } from "vitest";
import {
  addressIn,
  assetCache,
  filesOf,
  isCacheable,
  isOutage,
  isShell,
  cachePlanFor,
  notificationFor,
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

describe("the strategy for a request", () => {
  it.each([
    "/api",
    "/api/auth/user",
    "/api/plans",
    "/api/logout",
    "/hourmeter.equipment.v1.EquipmentService/List",
  ])("never caches %s", (path) => {
    expect(ask(path)).toBe("network");
    expect(ask(path, open)).toBe("network");
    expect(ask(`${path}?x=1`)).toBe("network");
  });

  it.each(["POST", "PUT", "PATCH", "DELETE", "HEAD"])("passes %s to the network", (method) => {
    expect(ask("/", { ...open, method })).toBe("network");
    expect(ask("/assets/index-1.js", { method })).toBe("network");
  });

  it("passes other origins to the network", () => {
    expect(ask("https://js.stripe.com/v3/")).toBe("network");
    expect(ask("https://hourmeter.example.org/assets/a.js")).toBe("network");
    expect(ask("http://hourmeter.example/", open)).toBe("network");
  });

  it.each(["/", "/operator", "/equipment/due?type=vehicle", "/apiary"])(
    "requests the page at %s from the network first",
    (path) => {
      expect(ask(path, open)).toBe("page");
      expect(ask(path)).toBe("network");
    },
  );

  it("reads files with a hash in their name from the cache", () => {
    expect(ask("/assets/index-abc123.js")).toBe("asset");
    expect(ask("/assets/text-abc123.woff2")).toBe("asset");
  });

  it("requests files with a fixed name from the network first", () => {
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

describe("what may be cached", () => {
  it("is a complete file of this origin", () => {
    expect(isCacheable(answer("text/javascript"))).toBe(true);
    expect(isCacheable(answer("text/javascript", 206))).toBe(false);
    expect(isCacheable(answer("text/javascript", 404))).toBe(false);
    expect(isCacheable(answer("text/javascript", 200, { type: "opaque" }))).toBe(false);
    // A proxy's page instead of a script would break every later start.
    expect(isCacheable(answer("text/html; charset=utf-8"))).toBe(false);
  });

  it("is an HTML page as the shell", () => {
    expect(isShell(answer("text/html"))).toBe(true);
    expect(isShell(answer("text/plain", 503))).toBe(false);
    expect(isShell(answer("text/html", 503))).toBe(false);
    expect(isShell(answer("text/html", 200, { redirected: true }))).toBe(false);
  });

  it("is used when the server fails, not when it refuses", () => {
    expect([200, 304, 401, 404, 499].some(isOutage)).toBe(false);
    expect([500, 502, 503, 504].every(isOutage)).toBe(true);
  });
});

it("deletes caches of old versions and no others", () => {
  expect(
    outdatedCaches(["hourmeter-assets-0", assetCache, shellCache, "other-assets-1", "hourmeter-x"]),
  ).toEqual(["hourmeter-assets-0", "hourmeter-x"]);
});

it("finds the files that a page references", () => {
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

describe("the cached files", () => {
  const pages = {
    "sign-in": ["assets/login-1.js"],
    "operator offline": ["assets/texts-person-en-1.js", "assets/texts-person-es-2.js"],
    dashboard: ["assets/home-1.js", "assets/texts-office-en-3.js", "assets/texts-office-es-4.js"],
    support: ["assets/support-1.js"],
  };
  const planFor = (message: unknown) => cachePlanFor(message, pages, origin);

  it.each([
    ["guest", ["/assets/login-1.js"]],
    ["staff", ["/assets/support-1.js"]],
    ["manager", ["/assets/home-1.js", "/assets/texts-office-es-4.js"]],
    ["operator", ["/assets/texts-person-en-1.js", "/assets/texts-person-es-2.js"]],
  ])("are the application with the files of a %s", (audience, files) => {
    expect(planFor({ audience, language: "es" })).toEqual({
      source: "/index.html",
      path: "/index.html",
      files,
      replaces: audience === "guest" ? [] : ["/"],
    });
  });

  it("are the landing page in its language, with its pictures, for a visitor", () => {
    const pictures = [
      `${origin}/assets/shot-1.webp`,
      `${origin}/api/auth/user`,
      "https://evil.example/assets/b.webp",
      "",
      "http://[",
      7,
    ];
    expect(planFor({ audience: "visitor", language: "es", pictures })).toEqual({
      source: "/landing-es.html",
      path: "/",
      files: ["/assets/shot-1.webp"],
      replaces: [],
    });
    expect(planFor({ audience: "visitor", language: "en", pictures: "x" })?.files).toEqual([]);
  });

  it.each([
    null,
    "operator",
    {},
    { audience: "operator" },
    { audience: "constructor", language: "en" },
    { audience: "guest", language: "fr" },
    ["/assets/a.js"],
  ])("are none for the message %j", (message) => {
    expect(planFor(message)).toBeNull();
  });

  it("are the landing page first at /, and the application elsewhere", () => {
    expect(pagesFor("/")).toEqual(["/", "/index.html"]);
    expect(pagesFor("/operator")).toEqual(["/index.html"]);
  });
});

it("deletes the oldest files first", () => {
  const entries = Array.from({ length: 252 }, (_, index) => index);
  const none = () => false;
  expect(surplus(entries, none)).toEqual([0, 1]);
  expect(surplus(entries.slice(0, 250), none)).toEqual([]);
});

it("never deletes files of the current page", () => {
  const entries = Array.from({ length: 252 }, (_, index) => index);
  expect(surplus(entries, (entry) => entry < 2)).toEqual([2, 3]);
  expect(surplus(entries, () => true)).toEqual([]);
});

describe("a pushed message", () => {
  const icon = "/icon-192.png";

  it("is shown as a notification", () => {
    const pushed = { title: "Flagged", body: "Maria reported", url: "/review", tag: "update-1" };
    expect(notificationFor(JSON.stringify(pushed))).toEqual({
      title: "Flagged",
      options: { body: "Maria reported", tag: "update-1", icon, data: { url: "/review" } },
    });
  });

  it.each([
    undefined,
    "",
    "{",
    "null",
    "7",
    "[]",
    '{"title":""}',
    '{"title":7,"body":{},"tag":[]}',
  ])("is shown under the product's name if it is %s", (payload) => {
    expect(notificationFor(payload)).toEqual({ title: "Hourmeter", options: { icon, data: {} } });
  });

  it.each(["/", "/review?update=u-1", "/equipment/e-1#notes"])("opens %s", (url) => {
    expect(addressIn({ url }, origin)).toBe(`${origin}${url}`);
  });

  it.each([
    "//evil.example/",
    "/\\evil.example/",
    "/\t/evil.example/",
    "https://evil.example/",
    `${origin}/review`,
    "review",
    "",
    "javascript:alert(1)",
    7,
    undefined,
  ])("opens the notifications instead of %j", (url) => {
    expect(addressIn({ url }, origin)).toBe(`${origin}/notifications`);
  });

  it.each([null, undefined, "/review"])("opens the notifications without an address", (data) => {
    expect(addressIn(data, origin)).toBe(`${origin}/notifications`);
  });
});
