import { fireEvent, screen, within } from "@testing-library/react";
import { describe, expect, it, vi } from "vitest";
import { changeLanguage, languages } from "#/i18n";
import { catalogue } from "#/test/plans";
import { owner, renderApp, stubRest } from "#/test/render-app";
import { guideEntries } from "./sections";

async function open({ plansUp = true, user = owner }: { plansUp?: boolean; user?: object } = {}) {
  stubRest({
    "GET /api/auth/user": { status: 200, body: user },
    "GET /api/plans": plansUp
      ? { status: 200, body: catalogue }
      : { status: 503, body: { message: "busy" } },
  });
  const app = await renderApp("/instructions");
  await screen.findByRole("heading", { level: 1, name: "Instructions" });
  return app;
}

describe("the guide", () => {
  it("lists its sections, and each link leads to its section", async () => {
    await open();
    const contents = screen.getByRole("navigation", { name: "Contents" });
    const links = within(contents).getAllByRole("link");
    expect(links.map((link) => link.getAttribute("href"))).toEqual(
      guideEntries.map((entry) => `/instructions#${entry.id}`),
    );
    for (const link of links) {
      const id = link.getAttribute("href")?.split("#")[1] ?? "";
      const section = document.getElementById(id);
      expect(section?.querySelector("h2")?.textContent).toBe(link.textContent);
    }
  });

  it("has the plans and prices of the catalogue", async () => {
    await open();
    const table = await screen.findByRole("table", { name: "Plans and help" });
    const rows = within(table).getAllByRole("row").slice(1);
    expect(rows.map((row) => row.textContent)).toEqual([
      "Basic15$32$27Not included",
      "Professional30$54$46Included",
      "EnterpriseUnlimited$100$85Included",
    ]);
  });

  it("has no price of its own, and the trial's length from the catalogue", async () => {
    await open();
    expect(await screen.findByText(/starts with a 4-week free trial/)).toBeTruthy();
  });

  it("shows who may do what", async () => {
    await open();
    const table = screen.getByRole("table", { name: "Who can do what" });
    const rows = within(table).getAllByRole("row").slice(1);
    expect(rows.map((row) => row.textContent)).toEqual([
      "Send readings, fuel and notesYesYesYes",
      "Equipment, service, review and exportsYesYesNo",
      "Operators, their password, settingsYesYesNo",
      "Add and remove managersYesNoNo",
      "Read the audit logYesNoNo",
    ]);
  });

  it("links the owner to the audit log, and explains to a manager why not", async () => {
    await open();
    expect(screen.getByRole("link", { name: "Audit Log" }).getAttribute("href")).toBe("/audit-log");
  });

  it("has no link to the audit log for a manager", async () => {
    await open({ user: { ...owner, role: "manager" } });
    expect(screen.queryByRole("link", { name: "Audit Log" })).toBeNull();
    expect(screen.getByText(/Only the owner can read it/)).toBeTruthy();
  });

  it("finds sections by words in them, whatever the case and accents", async () => {
    await open();
    const contents = screen.getByRole("navigation", { name: "Contents" });
    const search = within(contents).getByRole("searchbox", { name: "Search the guide" });
    const found = () =>
      within(contents)
        .queryAllByRole("link")
        .map((link) => link.textContent);
    fireEvent.change(search, { target: { value: "TEMPORARY manáger" } });
    expect(found()).toEqual(["Who can do what"]);
    fireEvent.change(search, { target: { value: "zeppelin" } });
    expect(found()).toEqual([]);
    expect(within(contents).getByRole("status").textContent).toBe(
      "No section contains “zeppelin”.",
    );
    fireEvent.change(search, { target: { value: "" } });
    expect(found().length).toBe(guideEntries.length);
  });

  it("folds its contents on a phone, and folds them again once one is chosen", async () => {
    await open();
    const button = screen.getByRole("button", { name: "Contents" });
    expect(button.getAttribute("aria-expanded")).toBe("false");
    fireEvent.click(button);
    expect(button.getAttribute("aria-expanded")).toBe("true");
    const contents = screen.getByRole("navigation", { name: "Contents" });
    fireEvent.click(within(contents).getByRole("link", { name: "Fuel" }));
    expect(button.getAttribute("aria-expanded")).toBe("false");
  });

  it("prints", async () => {
    const print = vi.spyOn(window, "print").mockReturnValue();
    await open();
    fireEvent.click(screen.getByRole("button", { name: "Print" }));
    expect(print).toHaveBeenCalledOnce();
  });

  it("draws samples that are neither interactive nor read by screen readers", async () => {
    await open();
    const figures = [...document.querySelectorAll("main figure")];
    const drawn = figures.filter((figure) => figure.querySelector("[inert][aria-hidden]"));
    expect(drawn.length).toBeGreaterThanOrEqual(7);
    for (const figure of figures) {
      expect(figure.querySelector("button, input, a, select")).toBeNull();
      expect(figure.querySelector("figcaption")?.textContent).toBeTruthy();
    }
  });

  it("stays readable without the catalogue", async () => {
    await open({ plansUp: false });
    expect((await screen.findByRole("alert")).textContent).toContain("plans could not be loaded");
    expect(screen.getByRole("heading", { name: "Fuel" })).toBeTruthy();
  });

  // The guide quotes buttons by their texts; a missing key would be shown as it is.
  it.each(languages)("quotes only texts that exist, in %s", async (language) => {
    await open();
    await changeLanguage(language);
    const text = document.querySelector("main")?.textContent ?? "";
    expect(text.length).toBeGreaterThan(4000);
    expect(text).not.toContain("$t(");
    expect(text).not.toMatch(/“[a-z]+(\.\w+)+”/i);
  });
});
