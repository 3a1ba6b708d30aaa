import { createRouterTransport } from "@connectrpc/connect";
import { fireEvent, screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it, vi } from "vitest";
import { EquipmentService } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { setContrast } from "#/shared/contrast";
import { operator, owner, renderApp, stubRest, visitor } from "#/test/render-app";

const as = (user: object) => ({ "GET /api/auth/user": { status: 200, body: user } });
const manager = { ...owner, role: "manager", firstName: "Dana", lastName: "Ruiz" };

const pages = [
  ["Review", "/review"],
  ["Equipment List", "/equipment-list"],
  ["Service", "/service"],
  ["Fuel", "/fuel"],
  ["Operators", "/employees"],
  ["Add Equipment", "/add-equipment"],
  ["Retired Equipment", "/retired-equipment"],
  ["Subscription", "/subscription"],
  ["Instructions", "/instructions"],
  ["Contact Support", "/contact"],
  ["Profile", "/profile"],
  ["Settings", "/settings"],
] as const;

const openByKey = async (name: string) => {
  const button = await screen.findByRole("button", { name });
  button.focus();
  fireEvent.keyDown(button, { key: "Enter" });
  return screen.findByRole("menu");
};

const linksOf = (within_: HTMLElement, role: "link" | "menuitem") =>
  within(within_)
    .getAllByRole(role)
    .map((link) => [link.textContent, link.getAttribute("href")]);

describe("the bar", () => {
  it("prefetches a page's data when the pointer is near its link, and does not load them again", async () => {
    stubRest(as(manager));
    const listEquipment = vi.fn<() => object>(() => ({ equipment: [{ id: "a", name: "Loader" }] }));
    const transport = createRouterTransport(({ service }) => {
      service(EquipmentService, { listEquipment });
    });
    await renderApp("/no-such-page", transport);
    const link = await screen.findByRole("link", { name: "Equipment List" });
    fireEvent.pointerEnter(link);
    await waitFor(() => expect(listEquipment).toHaveBeenCalledTimes(1));
    fireEvent.click(link);
    await screen.findByText("Loader");
    expect(listEquipment).toHaveBeenCalledTimes(1);
  });

  it("has the main pages, the others under More and behind the profile button", async () => {
    stubRest(as(manager));
    await renderApp("/no-such-page");
    const bar = await screen.findByRole("navigation", { name: "Main navigation" });
    expect(linksOf(bar, "link")).toEqual([
      ["Dashboard", "/"],
      ["Review", "/review"],
      ["Equipment List", "/equipment-list"],
      ["Service", "/service"],
      ["Fuel", "/fuel"],
      ["Operators", "/employees"],
    ]);
    const more = await openByKey("More");
    expect(linksOf(more, "menuitem")).toEqual([
      ["Fuel", "/fuel"],
      ["Add Equipment", "/add-equipment"],
      ["Retired Equipment", "/retired-equipment"],
      ["Subscription", "/subscription"],
      ["Instructions", "/instructions"],
      ["Contact Support", "/contact"],
      ["Settings", "/settings"],
    ]);
    fireEvent.keyDown(more, { key: "Escape" });
    await waitFor(() => expect(screen.queryByRole("menu")).toBeNull());
    const account = await openByKey("DR Account: Dana Ruiz");
    expect(within(account).getByText("Manager · Acme Earthworks")).toBeTruthy();
    expect(linksOf(account, "menuitem")).toEqual([
      ["Profile", "/profile"],
      ["Settings", "/settings"],
    ]);
    expect(within(account).getByRole("menuitemradio", { name: "Dark" })).toBeTruthy();
  });

  it("marks the current page", async () => {
    stubRest(as(manager));
    await renderApp("/contact");
    await screen.findByRole("heading", { level: 1, name: "Contact Support" });
    expect(document.querySelectorAll("header [aria-current]").length).toBe(0);
    const more = await openByKey("More");
    const here = within(more).getByRole("menuitem", { name: "Contact Support" });
    expect(here.getAttribute("aria-current")).toBe("page");
    fireEvent.click(within(more).getByRole("menuitem", { name: "Instructions" }));
    await screen.findByRole("heading", { level: 1, name: "Instructions" });
  });

  it("links to the audit log for the owner only", async () => {
    stubRest(as({ ...manager, role: "owner" }));
    await renderApp("/no-such-page");
    const account = await openByKey("DR Account: Dana Ruiz");
    expect(linksOf(account, "menuitem")).toEqual([
      ["Profile", "/profile"],
      ["Settings", "/settings"],
      ["Audit Log", "/audit-log"],
    ]);
  });

  it("has no company pages for support staff", async () => {
    stubRest(as({ ...manager, role: "support", companyId: null, businessName: null }));
    await renderApp("/no-such-page");
    await screen.findByRole("heading", { name: "Page not found" });
    const bar = screen.getByRole("navigation", { name: "Main navigation" });
    expect(linksOf(bar, "link")).toEqual([["Admin Accounts", "/admin-accounts"]]);
    const account = await openByKey("DR Account: Dana Ruiz");
    expect(within(account).getByText("Support")).toBeTruthy();
    expect(linksOf(account, "menuitem")).toEqual([["Change Password", "/password"]]);
  });

  it("has only their page, Profile and Logout for operators", async () => {
    stubRest(as(operator));
    await renderApp("/");
    const bar = await screen.findByRole("navigation", { name: "Main navigation" });
    expect(linksOf(bar, "link")).toEqual([["Equipment Updates", "/"]]);
    expect(screen.queryByRole("button", { name: "More" })).toBeNull();
    const account = await openByKey("M Account: maria4821");
    expect(linksOf(account, "menuitem")).toEqual([["Profile", "/profile"]]);
    expect(screen.getAllByRole("button", { name: "Logout" }).length).toBeGreaterThan(0);
  });

  it("reads 'Logging out...' while the logout is pending", async () => {
    let finish = () => undefined as void;
    stubRest(as(manager));
    await renderApp("/no-such-page");
    const button = await screen.findByRole("button", { name: "Logout" });
    const answered = new Promise<Response>((resolve) => {
      finish = () => resolve(new Response(null, { status: 204 }));
    });
    const before = globalThis.fetch;
    globalThis.fetch = (input, init) =>
      input === "/api/auth/logout" ? answered : before(input, init);
    fireEvent.click(button);
    expect(await screen.findByRole("button", { name: "Logging out..." })).toBeTruthy();
    stubRest({ "GET /api/auth/user": visitor });
    finish();
    await waitFor(() => expect(screen.queryByRole("button", { name: /^Log/ })).toBeNull());
  });
});

describe("the slide-in menu", () => {
  const open = async () => {
    fireEvent.click(await screen.findByRole("button", { name: "Open menu" }));
    return screen.findByRole("dialog", { name: "Menu" });
  };

  it("has name, role, all links, theme, contrast, language and Logout", async () => {
    stubRest(as(manager));
    await renderApp("/no-such-page");
    const menu = await open();
    expect(within(menu).getByText("Dana Ruiz")).toBeTruthy();
    expect(within(menu).getByText("Manager")).toBeTruthy();
    const links = linksOf(menu, "link");
    for (const page of pages) expect(links).toContainEqual([...page]);
    expect(links.length).toBe(pages.length + 1);
    expect(within(menu).getByRole("radio", { name: "Dark" })).toBeTruthy();
    fireEvent.click(within(menu).getByRole("radio", { name: "High" }));
    expect(document.documentElement.dataset.contrast).toBe("high");
    setContrast("system");
    expect(within(menu).getByRole("button", { name: "ES Español" })).toBeTruthy();
    expect(within(menu).getByRole("button", { name: "Logout" })).toBeTruthy();
  });

  it("closes after a choice and marks it next time", async () => {
    stubRest(as(operator));
    await renderApp("/");
    fireEvent.click(within(await open()).getByRole("link", { name: "Profile" }));
    await screen.findByRole("heading", { level: 1, name: "Profile" });
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
    const here = within(await open()).getByRole("link", { name: "Profile" });
    expect(here.getAttribute("aria-current")).toBe("page");
  });
});
