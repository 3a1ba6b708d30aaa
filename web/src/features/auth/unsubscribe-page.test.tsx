import { act, fireEvent, screen } from "@testing-library/react";
import { beforeEach, expect, it } from "vitest";
import { changeLanguage } from "#/i18n";
import { owner, renderApp, stubRest, visitor, type Answer } from "#/test/render-app";

const path = "/api/unsubscribe/key-of-the-mail";

const open = async (answer: Answer, user: Answer = visitor) => {
  const calls = stubRest({ "GET /api/auth/user": user, [`POST ${path}`]: answer });
  await renderApp("/unsubscribe");
  return calls;
};
const press = async () =>
  fireEvent.click(await screen.findByRole("button", { name: "Stop the digest" }));
const title = (name: string) => screen.findByRole("heading", { level: 1, name });
const target = (name: string) => screen.getByRole("link", { name }).getAttribute("href");

beforeEach(() => history.replaceState(null, "", "/unsubscribe#key-of-the-mail"));

it("stops the digest after a press", async () => {
  const calls = await open({ status: 204 });
  await title("Stop the morning digest?");
  expect(calls.some((call) => call.path === path)).toBe(false);
  await press();
  await title("Digest stopped");
  expect(screen.getByText(/start them again in your profile/)).toBeTruthy();
  const sent = calls.filter((call) => call.path === path);
  expect(sent.map(({ headers }) => headers.get("X-Requested-With"))).toEqual(["XMLHttpRequest"]);
  expect(target("Owner Login")).toBe("/login");
});

it("leads a signed-in person to the profile", async () => {
  await open({ status: 204 }, { status: 200, body: owner });
  await press();
  await title("Digest stopped");
  expect(target("Go to profile")).toBe("/profile");
});

it("says that a link has ended", async () => {
  await open({ status: 404, body: { code: "NOT_FOUND", message: "Not found" } });
  await press();
  await title("This link does not work any more");
  expect(screen.getByText("Sign in and change it in your profile.")).toBeTruthy();
  expect(screen.queryByRole("button", { name: "Stop the digest" })).toBeNull();
});

it("says that an address without a key has ended", async () => {
  history.replaceState(null, "", "/unsubscribe");
  await open({ status: 204 });
  expect(await title("This link does not work any more")).toBeTruthy();
});

it("can be tried again after a failure", async () => {
  await open({ status: 503, body: { code: "UNAVAILABLE", message: "Down" } });
  await press();
  await screen.findByRole("alert");
  expect(screen.getByRole("button", { name: "Stop the digest" })).toBeTruthy();
});

it("is in Spanish too", async () => {
  await open({ status: 204 });
  await title("Stop the morning digest?");
  await act(() => changeLanguage("es"));
  fireEvent.click(screen.getByRole("button", { name: "Detener el resumen" }));
  expect(await title("Resumen detenido")).toBeTruthy();
});
