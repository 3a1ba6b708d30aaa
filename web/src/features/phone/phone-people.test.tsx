import { webcrypto } from "node:crypto";
import { fireEvent, screen, waitFor, within } from "@testing-library/react";
import { beforeEach, expect, it, vi } from "vitest";
import { newEnrolment, readEnrolment, saveEnrolment } from "#/device/enrolment";
import type { Identity } from "#/device/identity";
import { changeLanguage, currentLanguage } from "#/i18n";
import { getSession } from "#/session/state";
import { operator, renderApp, stubRest, visitor, type Call } from "#/test/render-app";

const device = vi.hoisted(() => new Map<string, unknown>());

vi.mock(import("#/device/database"), async (original) => ({
  ...(await original()),
  readCached: (key: string) => Promise.resolve(device.get(key)),
  writeCached: (key: string, value: unknown) => {
    device.set(key, value);
    return Promise.resolve(true);
  },
  updateCached: (key: string, change: (value: unknown) => unknown) => {
    if (device.has("broken")) return Promise.resolve(undefined);
    device.set(key, change(device.get(key)));
    return Promise.resolve(device.get(key));
  },
  deleteCached: (...keys: string[]) => {
    for (const key of keys) device.delete(key);
    return Promise.resolve();
  },
}));

const maria: Identity = {
  id: operator.id,
  companyId: "c1",
  firstName: "María",
  lastName: "Salazar",
  role: "operator",
  businessName: "Acme",
  operatorUsername: "maria4821",
  fuelUnit: "gallons",
};

beforeEach(() => {
  vi.stubGlobal("crypto", webcrypto);
  device.clear();
  vi.spyOn(console, "warn").mockImplementation(() => undefined);
});

async function open({ online = false, enrolled = true } = {}) {
  if (enrolled) await saveEnrolment(await newEnrolment("c1", "Crew phone"), maria, "4073");
  vi.spyOn(navigator, "onLine", "get").mockReturnValue(online);
  const calls = online ? stubRest({ "GET /api/auth/user": visitor }) : [];
  if (!online) vi.stubGlobal("fetch", () => Promise.reject(new TypeError("no signal")));
  window.history.replaceState(null, "", "/employee-login");
  await renderApp("/employee-login");
  await screen.findByRole("heading", { level: 1, name: "Operator Login" });
  return calls;
}

it("an operator of the phone signs in without signal by PIN", async () => {
  await open();
  await screen.findByText(/only people with a PIN on this phone can sign in/);
  fireEvent.click(await screen.findByRole("button", { name: "María Salazar" }));
  const enter = async (pin: string) => {
    fireEvent.change(await screen.findByLabelText("PIN"), { target: { value: pin } });
    fireEvent.click(screen.getByRole("button", { name: "Sign in" }));
  };
  await enter("1111");
  expect((await screen.findByRole("alert")).textContent).toBe("That PIN is wrong. 4 tries left.");
  await waitFor(() => expect(screen.getByLabelText<HTMLInputElement>("PIN").value).toBe(""));
  await enter("4073");
  await screen.findByRole("heading", { level: 1, name: "Equipment Updates" });
  expect(await screen.findByRole("heading", { name: "Signed in without signal" })).toBeTruthy();
  expect(getSession()).toMatchObject({ status: "pin", user: { id: operator.id } });
  expect(device.get("identity")).toMatchObject({ byPin: true });
});

it("a language chosen after a sign-in by PIN is used at the next one", async () => {
  await open();
  const enter = async (label: string) => {
    fireEvent.click(await screen.findByRole("button", { name: "María Salazar" }));
    fireEvent.change(await screen.findByLabelText("PIN"), { target: { value: "4073" } });
    fireEvent.click(screen.getByRole("button", { name: label }));
  };
  await enter("Sign in");
  await screen.findByRole("heading", { level: 1, name: "Equipment Updates" });
  fireEvent.click(screen.getAllByRole("button", { name: "ES Español" })[0] ?? document.body);
  await waitFor(() => expect(getSession().user?.language).toBe("es"));
  await waitFor(() =>
    expect(device.get("identity")).toMatchObject({ byPin: true, identity: { language: "es" } }),
  );
  await waitFor(async () => expect((await readEnrolment())?.people[0]?.user.language).toBe("es"));
  fireEvent.click(
    (await screen.findAllByRole("button", { name: "Cerrar sesión" }))[0] ?? document.body,
  );
  await screen.findByRole("heading", { level: 1, name: "Acceso de operadores" });
  // The next person on the phone reads English.
  await changeLanguage("en");
  await enter("Sign in");
  await waitFor(() => expect(currentLanguage()).toBe("es"));
});

it("says why a PIN can't be checked or does not work any more", async () => {
  await open();
  fireEvent.click(await screen.findByRole("button", { name: "María Salazar" }));
  const enter = async () => {
    fireEvent.change(await screen.findByLabelText("PIN"), { target: { value: "4073" } });
    fireEvent.click(screen.getByRole("button", { name: "Sign in" }));
  };
  device.set("broken", true);
  await enter();
  expect((await screen.findByRole("alert")).textContent).toMatch(/could not check the PIN/);
  device.delete("broken");
  device.delete("enrolment");
  await enter();
  expect(await screen.findByText(/Your PIN no longer works on this phone/)).toBeTruthy();
});

it("the sign-in of a user by PIN does not speak of a session that has ended", async () => {
  await open();
  fireEvent.click(await screen.findByRole("button", { name: "María Salazar" }));
  fireEvent.change(await screen.findByLabelText("PIN"), { target: { value: "4073" } });
  fireEvent.click(screen.getByRole("button", { name: "Sign in" }));
  const bar = await screen.findByRole("region", { name: "Signed in without signal" });
  fireEvent.click(within(bar).getByRole("button", { name: "Sign in" }));
  expect(await screen.findByRole("dialog", { name: "Sign in with your password" })).toBeTruthy();
});

it("asks for signal without the cookie, which may be that of an unfinished logout", async () => {
  const calls = await open({ online: true });
  const isAsked = ({ path, credentials }: Call) =>
    path === "/api/auth/user" && credentials === "omit";
  await waitFor(() => expect(calls.some(isAsked)).toBe(true));
});

it("a phone without people says that the first sign-in needs signal", async () => {
  await open({ enrolled: false });
  expect(await screen.findByText(/The first sign-in on this phone needs signal/)).toBeTruthy();
});

it("with signal the people of the phone are not shown", async () => {
  await open({ online: true });
  await waitFor(async () => expect(await readEnrolment()).not.toBeNull());
  expect(screen.queryByRole("button", { name: "María Salazar" })).toBeNull();
});

it("what a manager has removed is shown until it is confirmed", async () => {
  device.set("enrolment-ended", { names: ["María"], why: "device" });
  await open({ online: true, enrolled: false });
  expect(await screen.findByText(/A manager removed this phone/)).toBeTruthy();
  fireEvent.click(screen.getByRole("button", { name: "OK" }));
  expect(screen.queryByText(/A manager removed this phone/)).toBeNull();
  expect(device.has("enrolment-ended")).toBe(false);
});
