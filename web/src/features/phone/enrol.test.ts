import { webcrypto } from "node:crypto";
import { beforeEach, expect, it, vi } from "vitest";
import { checkPin, newEnrolment, readEnrolment, saveEnrolment } from "#/device/enrolment";
import type { Identity } from "#/device/identity";
import { userOf } from "#/session/user";
import { stubRest } from "#/test/render-app";
import { choosePin, removePin } from "./enrol";

const device = vi.hoisted(() => new Map<string, unknown>());
const unsent = vi.hoisted(() => ({ counts: [] as Array<{ userId: string; unsent: number }> }));

vi.mock(import("#/device/entries"), async (original) => ({
  ...(await original()),
  countEntries: () =>
    Promise.resolve(unsent.counts.map((each) => ({ ...each, username: null, operatorName: null }))),
}));
vi.mock(import("#/device/database"), async (original) => ({
  ...(await original()),
  readCached: (key: string) => Promise.resolve(device.get(key)),
  writeCached: (key: string, value: unknown) => {
    device.set(key, value);
    return Promise.resolve(true);
  },
  updateCached: (key: string, change: (value: unknown) => unknown) => {
    device.set(key, change(device.get(key)));
    return Promise.resolve(device.get(key));
  },
  deleteCached: (...keys: string[]) => {
    for (const key of keys) device.delete(key);
    return Promise.resolve();
  },
}));

const person = (id: string): Identity => ({
  id,
  companyId: "c1",
  firstName: id,
  lastName: null,
  role: "operator",
  businessName: "Acme",
  operatorUsername: `${id}1234`,
  fuelUnit: null,
});
const maria = userOf(person("maria"));
const gone = { status: 410, body: { message: "x", code: "DEVICE_REMOVED" } };

beforeEach(() => {
  vi.stubGlobal("crypto", webcrypto);
  device.clear();
  unsent.counts = [];
});

/** A phone of María and Juan that a manager has removed. */
async function removedPhone() {
  await saveEnrolment(await newEnrolment("c1", "Crew phone"), person("maria"), "4073");
  const first = await readEnrolment();
  if (!first) throw new Error("not enrolled");
  await saveEnrolment(first, person("juan"), "90210");
  return first;
}

it("both calls name the user, so that another one's session does nothing", async () => {
  const enrolled = { status: 201, body: { id: "d1", label: "Crew phone" } };
  const first = stubRest({ "POST /api/devices": enrolled });
  await choosePin(maria, "4073", "Crew phone");
  expect(first[0]?.headers.get("X-Expected-User")).toBe("maria");
  const enrolment = await readEnrolment();
  if (!enrolment) throw new Error("not enrolled");
  const then = stubRest({ [`DELETE /api/devices/${enrolment.id}/people/me`]: { status: 204 } });
  await removePin(enrolment, "maria");
  expect(then[0]?.headers.get("X-Expected-User")).toBe("maria");
  expect(await readEnrolment()).toBeNull();
});

it("a removed phone is registered again, and keeps its key for entries of others", async () => {
  const { id } = await removedPhone();
  unsent.counts = [{ userId: "juan", unsent: 1 }];
  const enrolled = { status: 201, body: { id: "d2", label: "Crew phone" } };
  const calls = stubRest({
    "POST /api/devices": ({ body }) => (JSON.stringify(body).includes(id) ? gone : enrolled),
  });
  await choosePin(maria, "5174", "Crew phone");
  expect(calls).toHaveLength(2);
  const renewed = await readEnrolment();
  expect(renewed?.id).not.toBe(id);
  expect(renewed?.people).toMatchObject([
    { user: { id: "juan" }, ended: true, former: { id } },
    { user: { id: "maria" }, ended: false },
  ]);
  expect(await checkPin("maria", "5174")).toMatchObject({ id: "maria" });
  expect(await checkPin("juan", "90210")).toBe("removed");
});

it("the key of a removed phone stays when it can't be registered again", async () => {
  const { id } = await removedPhone();
  const busy = { status: 503, body: { message: "busy" } };
  stubRest({
    "POST /api/devices": ({ body }) => (JSON.stringify(body).includes(id) ? gone : busy),
  });
  await expect(choosePin(maria, "5174", "Crew phone")).rejects.toThrow("busy");
  expect((await readEnrolment())?.id).toBe(id);
});
