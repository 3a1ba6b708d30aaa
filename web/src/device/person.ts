import { deleteCached } from "./database";
import { enrolledIds } from "./enrolled";

/** The storage keys of one user. */
export const cacheKeys = {
  meters: (userId: string) => `meters/${userId}`,
  history: (userId: string) => `history/${userId}`,
  pins: (userId: string) => `pins/${userId}`,
  seen: (userId: string) => `seen/${userId}`,
  corrected: (userId: string) => `corrected/${userId}`,
  drafts: (userId: string) => `drafts/${userId}`,
} as const;

const listeners = new Set<(userId: string) => void>();

/** Registers a listener that removes a user's data from memory. */
export function onForgotten(listener: (userId: string) => void): void {
  listeners.add(listener);
}

/**
 * Deletes the company's data on this device when a user signs out. Unsent entries and drafts stay,
 * and so do pins and seen rejections, which are only ids. The machines stay for a user who can sign
 * in without signal.
 */
export async function forgetPerson(userId: string): Promise<void> {
  for (const listener of listeners) listener(userId);
  await deleteCached(cacheKeys.history(userId));
  if (!(await enrolledIds()).includes(userId)) await deleteCached(cacheKeys.meters(userId));
}
