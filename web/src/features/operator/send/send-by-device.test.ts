import { webcrypto } from "node:crypto";
import { beforeEach, expect, it, vi } from "vitest";
import * as v from "valibot";
import { enrolledIds } from "#/device/enrolled";
import { newEnrolment, saveEnrolment } from "#/device/enrolment";
import type { Identity } from "#/device/identity";
import { stubRest, type Answer } from "#/test/render-app";
import { ownUpdate } from "../operator.fixture";
import type { OutboxEntry } from "./outbox-entry";
import { sendByDevice } from "./send-by-device";

const device = vi.hoisted(() => new Map<string, unknown>());

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

const accepted = (device: string, person: string): Answer => ({
  status: 201,
  body: { ...ownUpdate("x1", { operatorId: "maria" }), device, person },
});

beforeEach(() => {
  vi.stubGlobal("crypto", webcrypto);
  device.clear();
});

it("an entry is sent in its author's name, signed by the phone, without a cookie", async () => {
  const { enrolment, calls, result } = await send(accepted("active", "active"));
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
  const { result } = await send(accepted(phone, person));
  expect(result?.kind).toBe("sent");
  expect(await enrolledIds()).toEqual([]);
});

it("an entry that the server does not accept from this phone waits for a sign-in", async () => {
  const body = { message: "no", code: "DEVICE_NOT_ACCEPTED" };
  const { result } = await send({ status: 401, body });
  expect(result).toMatchObject({ kind: "blocked", by: "session" });
});

it("an entry of someone who is not enrolled is not sent", async () => {
  expect(await sendByDevice(entry, "juan")).toBeNull();
});
