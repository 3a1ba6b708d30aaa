import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { catalogue } from "#/test/plans";
import { renderLanding } from "./landing-html";

const bodies = {
  en: (await renderLanding("en")).body,
  es: (await renderLanding("es")).body,
};
const page = (body: string, title: string) =>
  `<!doctype html><title>${title}</title><div id="root">${body}</div>`;
const fetched: string[] = [];

/** The prerendered page in English, with its script. */
async function open() {
  vi.resetModules();
  document.documentElement.lang = "en";
  document.body.innerHTML = `<div id="root">${bodies.en}</div>`;
  await import("./landing");
  await vi.waitFor(() => expect(text("#plans")).toContain("$54"));
}

const text = (selector: string) => document.querySelector(selector)?.textContent;
const input = () => document.querySelector<HTMLInputElement>("#contact-subject");
const button = (language: string) =>
  document.querySelector<HTMLButtonElement>(`button[lang=${language}]`);

beforeEach(() => {
  fetched.length = 0;
  vi.stubGlobal("fetch", (path: string) => {
    fetched.push(path);
    if (path === "/api/plans") return Promise.resolve(Response.json(catalogue));
    if (path === "/landing-es.html")
      return Promise.resolve(new Response(page(bodies.es, "Inicio")));
    if (path === "/index.html") {
      const html = '<link href="/assets/a-1.css"><script src="/assets/b-2.js"></script>';
      return Promise.resolve(new Response(html));
    }
    return Promise.resolve(new Response("", { status: 404 }));
  });
});
afterEach(() => {
  document.body.replaceChildren();
  document.cookie = "language=; Path=/; Max-Age=0";
  vi.unstubAllGlobals();
});

it("shows the prices without requesting the session", async () => {
  await open();
  expect(fetched).toEqual(["/api/plans"]);
});

it("changes the language without a reload, keeps typed values, and remembers the choice", async () => {
  await open();
  const subject = input();
  if (subject) subject.value = "Plans";
  document.querySelector<HTMLInputElement>("input[value=year]")?.click();
  button("es")?.click();
  await vi.waitFor(() =>
    expect(text("h1")).toBe("Sabrás qué máquina necesita servicio antes de que se pare."),
  );
  expect(document.documentElement.lang).toBe("es");
  expect(document.title).toBe("Inicio");
  expect(input()?.value).toBe("Plans");
  expect(text("#plans")).toContain("$46");
  await vi.waitFor(() => expect(document.activeElement).toBe(button("es")));
  expect(localStorage.getItem("language")).toBe("es");
  expect(document.cookie).toContain("language=es");
  // The prices are those that were loaded.
  expect(fetched.filter((path) => path === "/api/plans")).toHaveLength(1);
});

it("follows a stored language that the gateway did not know", async () => {
  localStorage.setItem("language", "es");
  vi.resetModules();
  document.documentElement.lang = "en";
  document.body.innerHTML = `<div id="root">${bodies.en}</div>`;
  await import("./landing");
  await vi.waitFor(() => expect(document.documentElement.lang).toBe("es"));
});

it("fetches the application's code when a visitor's pointer is near a link to it", async () => {
  await open();
  const link = document.querySelector('a[href="/login"]');
  link?.dispatchEvent(new Event("pointerover", { bubbles: true }));
  link?.dispatchEvent(new Event("focusin", { bubbles: true }));
  const preloaded = () =>
    [...document.head.querySelectorAll("link")].map((each) => each.getAttribute("href"));
  await vi.waitFor(() => expect(preloaded()).toEqual(["/assets/a-1.css", "/assets/b-2.js"]));
  expect(fetched.filter((path) => path === "/index.html")).toHaveLength(1);
});
