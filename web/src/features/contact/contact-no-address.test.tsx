import { screen } from "@testing-library/react";
import { expect, it } from "vitest";
import { owner, renderApp, stubRest } from "#/test/render-app";

it("without a support address the page has no form, and says why", async () => {
  stubRest({ "GET /api/auth/user": { status: 200, body: owner } });
  await renderApp("/contact");
  expect(await screen.findByText(/No support address is set up/)).toBeTruthy();
  expect(screen.queryByRole("textbox")).toBeNull();
  expect(screen.queryByText(/1-2 business hours/)).toBeNull();
  expect(screen.getByRole("link", { name: "Instructions" })).toBeTruthy();
});
