import { updateCached } from "#/device/database";
import { randomId } from "#/shared/random-id";

const holder = randomId();
/** The lease of a closed or crashed tab expires after this time. */
const leaseMs = 40_000;

/**
 * Runs `work` while no other tab does, and returns whether it ran. Web Locks exist only on https and
 * localhost. Elsewhere a stored lease serializes tabs, and the clientId makes a duplicate send
 * harmless.
 */
export async function withSendLock(name: string, work: () => Promise<void>): Promise<boolean> {
  if ("locks" in navigator) {
    await navigator.locks.request(name, work);
    return true;
  }
  if (!(await take(name))) return false;
  const renewing = setInterval(() => void take(name), leaseMs / 4);
  try {
    await work();
  } finally {
    clearInterval(renewing);
    await updateCached(name, (lease) => (isMine(lease) ? null : lease));
  }
  return true;
}

interface Lease {
  holder: string;
  until: number;
}

/** Succeeds without storage too, because tabs then don't share entries. */
async function take(name: string): Promise<boolean> {
  const mine: Lease = { holder, until: Date.now() + leaseMs };
  const lease = await updateCached(name, (found) => (isFree(found) ? mine : found));
  return lease === undefined || isMine(lease);
}

function isFree(lease: unknown): boolean {
  if (!isLease(lease) || lease.holder === holder) return true;
  const left = lease.until - Date.now();
  // After the clock was set back, a lease may seem to last too long.
  return left < 0 || left > leaseMs;
}

const isMine = (lease: unknown) => isLease(lease) && lease.holder === holder;

function isLease(value: unknown): value is Lease {
  return (
    typeof value === "object" &&
    value !== null &&
    "holder" in value &&
    "until" in value &&
    typeof value.until === "number"
  );
}
