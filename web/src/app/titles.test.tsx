import { createRouterTransport } from "@connectrpc/connect";
import { screen, waitFor } from "@testing-library/react";
import { beforeEach, describe, expect, it } from "vitest";
import { changeLanguage } from "#/i18n";
import { operator, owner, renderApp, stubRest, visitor } from "#/test/render-app";

const signedIn = (user: object) => ({ "GET /api/auth/user": { status: 200, body: user } });
const suffix = " - Equipment Management";

async function titleAt(path: string) {
  const { router } = await renderApp(
    path,
    createRouterTransport(() => undefined),
  );
  // The heading appears last.
  await screen.findByRole("heading", { level: 1 });
  return router;
}

beforeEach(() => {
  document.title = "";
});

describe("titles by route, for owners and managers", () => {
  it.each([
    ["/", "Dashboard"],
    ["/add-equipment", "Add Equipment"],
    ["/add-equipment?edit=e1", "Edit Equipment"],
    ["/equipment-list", "Equipment List"],
    ["/service", "Service"],
    ["/fuel", "Fuel"],
    ["/review", "Review"],
    ["/task-sets", "Task sets"],
    ["/employees", "Operators"],
    ["/subscription", "Subscription"],
    ["/instructions", "Instructions"],
    ["/contact", "Contact Support"],
    ["/profile", "Profile"],
    ["/settings", "Settings"],
    ["/notifications", "Notifications"],
    ["/retired-equipment", "Retired Equipment"],
    ["/security-questions", "Security Questions"],
    ["/no-such-page", "Dashboard"],
  ])("%s: %s", async (path, title) => {
    stubRest(signedIn(owner));
    await titleAt(path);
    await waitFor(() => expect(document.title).toBe(title + suffix));
  });

  it.each([
    ["all", "All Equipment"],
    ["good", "Service OK"],
    ["approaching", "Approaching Service"],
    ["due", "Service Due"],
    ["overdue", "Overdue Service"],
  ])("/equipment/%s: %s", async (status, title) => {
    stubRest(signedIn({ ...owner, role: "manager" }));
    await titleAt(`/equipment/${status}`);
    await waitFor(() => expect(document.title).toBe(title + suffix));
  });
});

it.each([
  ["/add", "/add-equipment"],
  ["/add?edit=e1", "/add-equipment?edit=e1"],
  ["/equipment/approaching_service", "/equipment/approaching"],
  ["/equipment/time_for_service", "/equipment/due"],
])("%s leads to %s", async (path, target) => {
  stubRest(signedIn(owner));
  const router = await titleAt(path);
  await waitFor(() => expect(router.state.location.href).toBe(target));
});

describe("titles for operators", () => {
  it.each([
    ["/", "Equipment Updates"],
    ["/employee-login", "Equipment Updates"],
    ["/equipment-list", "Equipment Updates"],
    ["/review", "Equipment Updates"],
    ["/employees", "Equipment Updates"],
    ["/add-equipment", "Equipment Updates"],
    ["/security-questions", "Equipment Updates"],
    ["/login", "Equipment Updates"],
    ["/settings", "Equipment Updates"],
    ["/no-such-page", "Equipment Updates"],
    ["/profile", "Profile"],
    ["/notifications", "Notifications"],
  ])("%s: %s", async (path, title) => {
    stubRest(signedIn(operator));
    await titleAt(path);
    await waitFor(() => expect(document.title).toBe(title + suffix));
  });
});

it("a page that a guard refuses does not set the title of the landing page", async () => {
  stubRest({ "GET /api/auth/user": visitor });
  await titleAt("/retired-equipment");
  await waitFor(() => expect(document.title).toMatch(/^Hourmeter - Equipment Management$/));
});

it("titles follow the language", async () => {
  stubRest(signedIn(owner));
  await titleAt("/contact");
  await changeLanguage("es");
  await waitFor(() => expect(document.title).toBe("Contactar a soporte - Control de equipos"));
});
