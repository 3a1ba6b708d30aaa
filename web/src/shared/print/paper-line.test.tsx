import { createRouterTransport } from "@connectrpc/connect";
import { screen } from "@testing-library/react";
import { expect, it } from "vitest";
import { owner, renderApp, stubRest } from "#/test/render-app";

it("names the company and the day on a printed page, and is hidden on the screen", async () => {
  stubRest({ "GET /api/auth/user": { status: 200, body: owner } });
  await renderApp(
    "/equipment-list",
    createRouterTransport(() => undefined),
  );
  const line = await screen.findByText(/^Acme Earthworks · Printed \w+\s\d+,\s\d{4}$/);
  expect(line.className).toContain("hidden");
  expect(line.className).toContain("print:block");
});
