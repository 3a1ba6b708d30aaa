import * as v from "valibot";
import { toFailure } from "#/api/errors";
import { rest } from "#/api/rest";
import { clockError } from "#/api/server-clock";
import { dropEnded, endEnrolment, readEnrolment, sign } from "#/device/enrolment";
import { idsOf, isNotAccepted } from "./send-by-device";

const contactMs = 15 * 60_000;
/** Weak signal has no event. */
const retryMs = 60_000;

const answerSchema = v.object({
  device: v.string(),
  people: v.array(v.object({ id: v.string(), state: v.string() })),
});

/**
 * Asks the server at once, when signal returns, and from time to time whether it still accepts this
 * phone and its people, and forgets the others. Returns a function that stops it.
 */
export function keepContact(): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let stopped = false;
  const ask = async () => {
    clearTimeout(timer);
    const isReached = await contactServer();
    clearTimeout(timer);
    if (!stopped) timer = setTimeout(() => void ask(), isReached ? contactMs : retryMs);
  };
  const askNow = () => void ask();
  askNow();
  window.addEventListener("online", askNow);
  return () => {
    stopped = true;
    clearTimeout(timer);
    window.removeEventListener("online", askNow);
  };
}

/** Returns false without signal. */
async function contactServer(): Promise<boolean> {
  const device = await readEnrolment();
  // People of an earlier enrolment are not on this one.
  const people = idsOf(device?.people.filter(({ former }) => !former) ?? []);
  if (!device) return true;
  if (people.length === 0) {
    await dropEnded();
    return true;
  }
  const { id: deviceId } = device;
  const contactAt = new Date(Date.now() + (clockError() ?? 0)).toISOString();
  const payload = JSON.stringify({ deviceId, contactAt });
  try {
    const answer = await rest("POST", `/api/devices/${deviceId}/contact`, answerSchema, {
      body: { payload, signature: await sign(device, payload) },
      anonymous: true,
    });
    const active = new Set(
      answer.people.flatMap(({ id, state }) => (state === "removed" ? [] : id)),
    );
    if (answer.device === "removed") await endEnrolment(device, people, "device");
    else {
      const gone = people.filter((id) => !active.has(id));
      await endEnrolment(device, gone, "person");
    }
    await dropEnded();
    return true;
  } catch (error) {
    if (isNotAccepted(error)) await endEnrolment(device, people, "refused");
    return toFailure(error).status !== 0;
  }
}
