import { fireEvent, screen } from "@testing-library/react";
import { beforeEach, expect, it } from "vitest";
import { renderApp, stubRest, visitor } from "#/test/render-app";

const open = async (answer: { status: number; body?: unknown }) => {
  const calls = stubRest({
    "GET /api/auth/user": visitor,
    "POST /api/auth/new-password": answer,
  });
  await renderApp("/new-password");
  return calls;
};

async function type(confirmed: string) {
  fireEvent.change(await screen.findByLabelText("New password"), {
    target: { value: "Gravel-Pit-41" },
  });
  fireEvent.change(screen.getByLabelText("Confirm new password"), {
    target: { value: confirmed },
  });
  fireEvent.click(screen.getByRole("button", { name: "Reset password" }));
}

beforeEach(() => history.replaceState(null, "", "/new-password#secret-of-the-mail"));

it("sets the password and leads to the sign-in", async () => {
  const calls = await open({ status: 204 });
  await type("Gravel-Pit-41");
  expect(await screen.findByRole("heading", { level: 1, name: "Owner Login" })).toBeTruthy();
  const sent = calls.find(({ path }) => path === "/api/auth/new-password");
  expect(sent?.body).toEqual({ secret: "secret-of-the-mail", newPassword: "Gravel-Pit-41" });
});

it("checks that both passwords match", async () => {
  const calls = await open({ status: 204 });
  await type("Gravel-Pit-42");
  expect(await screen.findByText("Passwords do not match.")).toBeTruthy();
  expect(calls.some(({ path }) => path === "/api/auth/new-password")).toBe(false);
});

it("says that a link has ended", async () => {
  await open({ status: 404, body: { code: "NOT_FOUND", message: "Not found" } });
  await type("Gravel-Pit-41");
  const title = "This link does not work any more";
  expect(await screen.findByRole("heading", { level: 1, name: title })).toBeTruthy();
  expect(screen.getByRole("link", { name: "Forgot Password" })).toBeTruthy();
});
