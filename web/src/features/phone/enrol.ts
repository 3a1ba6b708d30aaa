import * as v from "valibot";
import { toFailure } from "#/api/errors";
import { rest, restVoid } from "#/api/rest";
import {
  dropEnded,
  forgetPin,
  formerPeople,
  newEnrolment,
  readEnrolment,
  saveEnrolment,
  type Enrolment,
} from "#/device/enrolment";
import { identitySchema } from "#/device/identity";
import type { User } from "#/session/user";

const deviceSchema = v.object({ id: v.string(), label: v.string() });

/** The server knows this phone no longer, or another phone by its id. */
const lostCodes = new Set(["DEVICE_REMOVED", "DEVICE_TAKEN"]);

/** Enrols the phone, or adds the user to it, and stores the PIN on it. */
export async function choosePin(user: User, pin: string, label: string): Promise<void> {
  const identity = v.parse(identitySchema, user);
  const stored = await readEnrolment();
  const known = stored?.companyId === user.companyId ? stored : null;
  try {
    await register(known ?? (await renewed()));
  } catch (error) {
    if (!known || !lostCodes.has(toFailure(error).code ?? "")) throw error;
    await register(await renewed());
  }
  await dropEnded();

  async function renewed(): Promise<Enrolment> {
    const device = await newEnrolment(user.companyId ?? "", label);
    return { ...device, people: stored ? formerPeople(stored) : [] };
  }

  async function register(device: Enrolment): Promise<void> {
    const { id, publicKey } = device;
    const body = { id, label: device.label, publicKey };
    const enrolled = await rest("POST", "/api/devices", deviceSchema, {
      body,
      expectedUser: user.id,
    });
    await saveEnrolment({ ...device, label: enrolled.label }, identity, pin);
  }
}

/** Removes the user from the phone. */
export async function removePin(device: Enrolment, userId: string): Promise<void> {
  try {
    await restVoid("DELETE", `/api/devices/${device.id}/people/me`, { expectedUser: userId });
  } catch (error) {
    // A manager may have removed the phone.
    if (toFailure(error).status !== 404) throw error;
  }
  await forgetPin(userId);
}
