import { screen } from "@testing-library/react";
import { expect, it, vi } from "vitest";
import { owner, renderApp, stubRest } from "#/test/render-app";

vi.mock("#/shared/support-email", () => ({ supportEmail: "help@acme.test" }));

it("with a support address the page names it and promises a reply", async () => {
  stubRest({ "GET /api/auth/user": { status: 200, body: owner } });
  await renderApp("/contact");
  const link = await screen.findByRole("link", { name: "help@acme.test" });
  expect(link.getAttribute("href")).toBe("mailto:help@acme.test");
  expect(screen.getByText(/answers within 1-2 business hours/)).toBeTruthy();
  expect(screen.queryByText(/No support address/)).toBeNull();
});
