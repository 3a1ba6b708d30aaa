import { dropKept } from "./device-database";

/** Where one person's things lie on this device. */
export const keptKeys = {
  meters: (userId: string) => `meters/${userId}`,
  history: (userId: string) => `history/${userId}`,
  pins: (userId: string) => `pins/${userId}`,
  seen: (userId: string) => `seen/${userId}`,
  corrected: (userId: string) => `corrected/${userId}`,
} as const;

/**
 * Drops what the company's data left on this device for a person who signs out. What they entered
 * and is not sent yet stays, and so do their pins, which are ids and tell nobody anything.
 */
export function forgetPerson(userId: string): Promise<void> {
  return dropKept(keptKeys.meters(userId), keptKeys.history(userId));
}
