import { screen, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { changeLanguage, languages } from "#/i18n";
import { catalogue } from "#/test/plans";
import { owner, renderApp, stubRest } from "#/test/render-app";
import { guideEntries } from "./sections";

async function open(plansUp = true) {
  stubRest({
    "GET /api/auth/user": { status: 200, body: owner },
    "GET /api/plans": plansUp
      ? { status: 200, body: catalogue }
      : { status: 503, body: { message: "busy" } },
  });
  const app = await renderApp("/instructions");
  await screen.findByRole("heading", { level: 1, name: "Instructions" });
  return app;
}

describe("the guide", () => {
  it("lists its sections, and each is where its link leads", async () => {
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
      "Basic15$32$27.20Not included",
      "Professional30$54$45.90Included",
      "EnterpriseUnlimited$100$85Included",
    ]);
  });

  it("stays readable without the catalogue", async () => {
    await open(false);
    expect((await screen.findByRole("alert")).textContent).toContain("plans could not be loaded");
    expect(screen.getByRole("heading", { name: "Fuel" })).toBeTruthy();
  });

  // The guide quotes buttons by their own texts; a key that is gone would stand there as it is.
  it.each(languages)("quotes only texts that exist, in %s", async (language) => {
    await open();
    await changeLanguage(language);
    const text = document.querySelector("main")?.textContent ?? "";
    expect(text.length).toBeGreaterThan(4000);
    expect(text).not.toContain("$t(");
    expect(text).not.toMatch(/“[a-z]+(\.\w+)+”/i);
  });
});
