import { act, fireEvent, screen } from "@testing-library/react";
import { beforeEach, describe, expect, it } from "vitest";
import { changeLanguage } from "#/i18n";
import { owner, renderApp, stubRest, visitor, type Answer } from "#/test/render-app";

const path = "/api/unsubscribe/key-of-the-mail";

const open = async (answer: Answer, user: Answer = visitor, query = "") => {
  const calls = stubRest({ "GET /api/auth/user": user, [`POST ${path}`]: answer });
  await renderApp(`/unsubscribe${query}`);
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
  expect(document.title).toMatch(/^Stop the morning digest\?/);
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

describe("a link of a mail about flagged reports", () => {
  const query = "?mail=flagged";
  const signedIn = { status: 200, body: owner };
  const button = (name: string) => screen.findByRole("button", { name });

  it("stops these mails only", async () => {
    const calls = await open({ status: 204 }, signedIn, query);
    await title("Stop emails about flagged reports?");
    expect(document.title).toMatch(/^Stop emails about flagged reports\?/);
    fireEvent.click(await button("Stop these emails"));
    await title("Emails about flagged reports stopped");
    expect(screen.getByText(/turn them on again under notifications/)).toBeTruthy();
    expect(calls.map((call) => call.path)).toContain(`${path}${query}`);
    expect(target("Go to notifications")).toBe("/notifications");
    expect(screen.queryByText(/digest/i)).toBeNull();
  });

  it("says that it has ended", async () => {
    await open({ status: 404, body: { code: "NOT_FOUND", message: "Not found" } }, visitor, query);
    fireEvent.click(await button("Stop these emails"));
    await title("This link does not work any more");
    expect(screen.getByText("Sign in and change it under notifications.")).toBeTruthy();
  });

  it("is in Spanish too", async () => {
    await open({ status: 204 }, visitor, query);
    await title("Stop emails about flagged reports?");
    await act(() => changeLanguage("es"));
    fireEvent.click(await button("Detener estos correos"));
    expect(await title("Correos sobre reportes marcados detenidos")).toBeTruthy();
  });

  it("is about the digest if the kind of mail is unknown", async () => {
    await open({ status: 204 }, visitor, "?mail=other");
    expect(await title("Stop the morning digest?")).toBeTruthy();
  });
});
