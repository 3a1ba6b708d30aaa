import { fireEvent, screen } from "@testing-library/react";
import { beforeEach, expect, it } from "vitest";
import { renderApp, stubRest, visitor } from "#/test/render-app";

const open = async (answer: { status: number; body?: unknown }) => {
  const calls = stubRest({
    "GET /api/auth/user": visitor,
    "POST /api/auth/verify-email": answer,
  });
  await renderApp("/verify-email");
  return calls;
};
const press = async () =>
  fireEvent.click(await screen.findByRole("button", { name: "Verify this email" }));

beforeEach(() => history.replaceState(null, "", "/verify-email#secret-of-the-mail"));

it("verifies the address after a press", async () => {
  const calls = await open({ status: 200, body: { email: "dana@acme.test" } });
  await screen.findByRole("heading", { level: 1, name: "Verify your email" });
  expect(calls.some(({ path }) => path === "/api/auth/verify-email")).toBe(false);
  await press();
  await screen.findByRole("heading", { level: 1, name: "Email verified" });
  expect(screen.getByText(/dana@acme.test is verified/)).toBeTruthy();
  const sent = calls.find(({ path }) => path === "/api/auth/verify-email");
  expect(sent?.body).toEqual({ secret: "secret-of-the-mail" });
});

it("says that a link has ended", async () => {
  await open({ status: 404, body: { code: "NOT_FOUND", message: "Not found" } });
  await press();
  await screen.findByRole("heading", { level: 1, name: "This link does not work any more" });
  expect(screen.queryByRole("button", { name: "Verify this email" })).toBeNull();
});

it("says that an address without a secret has ended", async () => {
  history.replaceState(null, "", "/verify-email");
  await open({ status: 200 });
  const title = "This link does not work any more";
  expect(await screen.findByRole("heading", { level: 1, name: title })).toBeTruthy();
});

it("can be tried again after a failure", async () => {
  await open({ status: 503, body: { code: "UNAVAILABLE", message: "Down" } });
  await press();
  await screen.findByRole("alert");
  expect(screen.getByRole("button", { name: "Verify this email" })).toBeTruthy();
});
