import { dropKept } from "./database";

/** Where one person's things lie on this device. */
export const keptKeys = {
  meters: (userId: string) => `meters/${userId}`,
  history: (userId: string) => `history/${userId}`,
  pins: (userId: string) => `pins/${userId}`,
  seen: (userId: string) => `seen/${userId}`,
  corrected: (userId: string) => `corrected/${userId}`,
  drafts: (userId: string) => `drafts/${userId}`,
} as const;

const listeners = new Set<(userId: string) => void>();

/** Tells those who hold something of a person in memory to let go of it. */
export function onForgotten(listener: (userId: string) => void): void {
  listeners.add(listener);
}

/**
 * Drops what the company's data left on this device for a person who signs out. What they entered
 * and is not sent yet stays, also what they have only begun to write, and so do their pins and which
 * rejections they have dealt with: ids, which tell nobody anything.
 */
export function forgetPerson(userId: string): Promise<void> {
  for (const listener of listeners) listener(userId);
  return dropKept(keptKeys.meters(userId), keptKeys.history(userId));
}
