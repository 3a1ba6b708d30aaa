import { webcrypto } from "node:crypto";
import { beforeEach, expect, it, vi } from "vitest";
import * as v from "valibot";
import { enrolledIds, senderIds } from "#/device/enrolled";
import {
  formerPeople,
  newEnrolment,
  onPinEnded,
  readEnded,
  readEnrolment,
  saveEnrolment,
} from "#/device/enrolment";
import type { Identity } from "#/device/identity";
import { loadTexts } from "#/i18n";
import { currentToast } from "#/shared/toast/store";
import { stubRest, type Answer } from "#/test/render-app";
import { ownUpdate } from "../operator.fixture";
import type { OutboxEntry } from "./outbox-entry";
import type { createOutbox } from "./outbox";
import { sendForPeople } from "./phone-outbox";
import { sendByDevice } from "./send-by-device";

const device = vi.hoisted(() => new Map<string, unknown>());
const unsent = vi.hoisted(() => ({ counts: [] as Array<{ userId: string; unsent: number }> }));
const outboxes = vi.hoisted((): Parameters<typeof createOutbox>[0][] => []);

vi.mock(import("./outbox"), async (original) => {
  const real = await original();
  return {
    ...real,
    createOutbox: (options) => {
      outboxes.push(options);
      return { ...real.createOutbox(options), start: () => () => undefined };
    },
  };
});

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

const maria: Identity = {
  id: "maria",
  companyId: "c1",
  firstName: "María",
  lastName: null,
  role: "operator",
  businessName: "Acme",
  operatorUsername: "maria4821",
  fuelUnit: null,
};

const entry: OutboxEntry = {
  clientId: "x1",
  capturedAt: "2026-11-20T12:00:00.000Z",
  equipmentId: "e1",
  equipmentName: "Excavator",
  reading: 1001,
  fuelAdded: null,
  fuelKind: "gas",
  notes: "ñ",
  state: "waiting",
  reason: null,
  failures: 0,
};

const bodySchema = v.object({ payload: v.string(), signature: v.string() });

async function send(answer: Answer) {
  const enrolment = await newEnrolment("c1", "Crew phone");
  await saveEnrolment(enrolment, maria, "4073");
  const path = `/api/devices/${enrolment.id}/updates`;
  const calls = stubRest({ [`POST ${path}`]: answer });
  const result = await sendByDevice(entry, "maria");
  return { enrolment, calls, result };
}

const accepted: Answer = {
  status: 201,
  body: { ...ownUpdate("x1", { operatorId: "maria" }), device: "active", person: "active" },
};
const removed = (device: string, person: string): Answer => ({
  status: 201,
  body: { id: "1", clientId: "x1", status: "pending", device, person },
});

beforeEach(() => {
  vi.stubGlobal("crypto", webcrypto);
  device.clear();
  unsent.counts = [];
});

it("an entry is sent in its author's name, signed by the phone, without a cookie", async () => {
  const { enrolment, calls, result } = await send(accepted);
  expect(result).toMatchObject({ kind: "sent", update: { clientId: "x1" } });
  const { payload, signature } = v.parse(bodySchema, calls[0]?.body);
  expect(JSON.parse(payload)).toEqual({
    deviceId: enrolment.id,
    operatorId: "maria",
    update: {
      clientId: "x1",
      equipmentId: "e1",
      newUsage: 1001,
      notes: "ñ",
      capturedAt: "2026-11-20T12:00:00.000Z",
    },
  });
  const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
  const bytes = (text: string) => Buffer.from(text, "base64url");
  const key = await webcrypto.subtle.importKey("raw", bytes(enrolment.publicKey), algorithm, true, [
    "verify",
  ]);
  const verified = webcrypto.subtle.verify(algorithm, key, bytes(signature), Buffer.from(payload));
  expect(await verified).toBe(true);
  expect(await enrolledIds()).toEqual(["maria"]);
});

it.each([
  ["removed", "active"],
  ["active", "removed"],
])("a removal that the server reports (%s, %s) ends the PIN", async (phone, person) => {
  const { result } = await send(removed(phone, person));
  expect(result).toMatchObject({ kind: "sent", update: null });
  expect(await enrolledIds()).toEqual([]);
});

it("the key of a removed phone stays until the sent entry has left the phone", async () => {
  unsent.counts = [{ userId: "maria", unsent: 1 }];
  const { result } = await send(removed("removed", "active"));
  // The page may close before the entry is removed; the next one sends it again.
  expect(await senderIds()).toEqual(["maria"]);
  expect(await sendByDevice(entry, "maria")).toMatchObject({ kind: "sent" });
  unsent.counts = [];
  if (result?.kind === "sent") await result.afterRemoval?.();
  expect(await senderIds()).toEqual([]);
});

it("an entry that the server does not accept from this phone waits for a sign-in", async () => {
  const body = { message: "no", code: "DEVICE_NOT_ACCEPTED" };
  const ended: string[] = [];
  const stop = onPinEnded((userIds) => ended.push(...userIds));
  const { result, calls } = await send({ status: 401, body });
  stop();
  expect(result).toMatchObject({ kind: "blocked", by: "session" });
  // The PIN has ended, and the entry is not sent this way again.
  expect(ended).toEqual(["maria"]);
  expect(await enrolledIds()).toEqual([]);
  expect(await senderIds()).toEqual([]);
  expect(await readEnded()).toEqual({ names: ["María"], why: "refused" });
  expect(await sendByDevice(entry, "maria")).toBeNull();
  expect(calls).toHaveLength(1);
});

it("an entry of an earlier enrolment is signed by the earlier key", async () => {
  const former = await newEnrolment("c1", "Crew phone");
  await saveEnrolment(former, maria, "4073");
  const stored = await readEnrolment();
  const people = stored ? formerPeople(stored) : [];
  const juan = { ...maria, id: "juan" };
  await saveEnrolment({ ...(await newEnrolment("c1", "Crew phone")), people }, juan, "90210");
  const calls = stubRest({
    [`POST /api/devices/${former.id}/updates`]: removed("removed", "active"),
  });
  expect(await sendByDevice(entry, "maria")).toMatchObject({ kind: "sent" });
  expect(calls[0]?.credentials).toBe("omit");
  expect(await enrolledIds()).toEqual(["juan"]);
});

it("an entry of someone who is not enrolled is not sent", async () => {
  expect(await sendByDevice(entry, "juan")).toBeNull();
});

it("the phone says whose update was sent", async () => {
  await loadTexts("phone");
  await saveEnrolment(await newEnrolment("c1", "Crew phone"), maria, "4073");
  sendForPeople("someone else");
  await vi.waitFor(() => expect(outboxes).toHaveLength(1));
  await outboxes[0]?.onSettled(entry, { kind: "refused", reason: "No" }, false);
  expect(currentToast()).toBeNull();
  await outboxes[0]?.onSettled(entry, { kind: "sent", update: null }, false);
  expect(currentToast()?.title).toBe("Sent: the update by María");
});
