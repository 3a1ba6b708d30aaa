import { webcrypto } from "node:crypto";
import { beforeEach, expect, it, vi } from "vitest";
import * as v from "valibot";
import { enrolledIds } from "#/device/enrolled";
import { newEnrolment, readEnded, readEnrolment, saveEnrolment } from "#/device/enrolment";
import type { Identity } from "#/device/identity";
import { stubRest, type Answer } from "#/test/render-app";
import { keepContact } from "./contact";

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

async function contact(answer: Answer) {
  const enrolment = await newEnrolment("c1", "Crew phone");
  await saveEnrolment(enrolment, person("maria"), "4073");
  const enrolled = await readEnrolment();
  if (enrolled) await saveEnrolment(enrolled, person("juan"), "90210");
  const calls = stubRest({ [`POST /api/devices/${enrolment.id}/contact`]: answer });
  const stop = keepContact();
  await vi.waitFor(() => expect(calls).toHaveLength(1));
  return { enrolment, calls, stop };
}

const state = (id: string, state: string) => ({ id, state });

beforeEach(() => {
  vi.stubGlobal("crypto", webcrypto);
  device.clear();
  unsent.counts = [];
});

it("is signed by the phone and sent without a cookie, again when signal returns", async () => {
  const people = [state("maria", "active"), state("juan", "active")];
  const { enrolment, calls, stop } = await contact({
    status: 200,
    body: { device: "active", people },
  });
  const { payload } = v.parse(v.object({ payload: v.string() }), calls[0]?.body);
  expect(JSON.parse(payload)).toEqual({
    deviceId: enrolment.id,
    contactAt: expect.stringMatching(/^\d{4}-.*Z$/),
  });
  expect(calls[0]?.credentials).toBe("omit");
  window.dispatchEvent(new Event("online"));
  await vi.waitFor(() => expect(calls).toHaveLength(2));
  stop();
  window.dispatchEvent(new Event("online"));
  expect(await enrolledIds()).toEqual(["maria", "juan"]);
  expect(calls).toHaveLength(2);
});

it.each([
  ["is removed", [state("maria", "removed"), state("juan", "active")]],
  ["is missing", [state("juan", "active")]],
])("a person who %s is forgotten", async (_, people) => {
  const { stop } = await contact({ status: 200, body: { device: "active", people } });
  await vi.waitFor(async () => expect(await enrolledIds()).toEqual(["juan"]));
  await vi.waitFor(async () => expect((await readEnrolment())?.people).toHaveLength(1));
  expect(await readEnded()).toEqual({ names: ["maria"], why: "person" });
  stop();
});

it("a removed phone is forgotten, except the key for entries that are left", async () => {
  unsent.counts = [{ userId: "juan", unsent: 1 }];
  const { stop } = await contact({ status: 200, body: { device: "removed", people: [] } });
  await vi.waitFor(async () => expect((await readEnrolment())?.people).toHaveLength(1));
  expect(await enrolledIds()).toEqual([]);
  expect(await readEnded()).toMatchObject({ why: "device" });
  stop();
});

it("a phone that the server does not accept keeps no PIN", async () => {
  const body = { message: "no", code: "DEVICE_NOT_ACCEPTED" };
  const { stop } = await contact({ status: 401, body });
  await vi.waitFor(async () => expect(await enrolledIds()).toEqual([]));
  expect(await readEnded()).toMatchObject({ why: "refused" });
  stop();
});

it("a server without this call, or a failing one, changes nothing", async () => {
  const { stop } = await contact({ status: 404, body: { message: "Not found" } });
  expect(await enrolledIds()).toEqual(["maria", "juan"]);
  stop();
});
