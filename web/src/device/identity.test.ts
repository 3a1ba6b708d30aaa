import { beforeEach, expect, it, vi } from "vitest";
import {
  deleteUnfinishedLogout,
  isLogoutUnfinished,
  markForeignSession,
  saveUnfinishedLogout,
} from "./identity";

const device = vi.hoisted(() => new Map<string, unknown>());

vi.mock(import("./database"), async (original) => ({
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

beforeEach(() => device.clear());

const unfinished = async () => {
  const is = await Promise.all(["maria", "juan"].map(isLogoutUnfinished));
  return ["maria", "juan"].filter((_, index) => is[index]);
};

it("no session has to end at first, and after a sign-in", async () => {
  expect(await unfinished()).toEqual([]);
  await saveUnfinishedLogout("maria");
  await deleteUnfinishedLogout();
  expect(await unfinished()).toEqual([]);
});

it("a sign-in by PIN ends the sessions of others", async () => {
  await markForeignSession("maria");
  await markForeignSession("maria");
  expect(await unfinished()).toEqual(["juan"]);
});

it("a sign-in by PIN does not revive the own session that has to end", async () => {
  await saveUnfinishedLogout("maria");
  await markForeignSession("maria");
  expect(await unfinished()).toEqual(["maria"]);
});

it("two people by PIN end every session, and so does a logout without signal", async () => {
  await markForeignSession("maria");
  await markForeignSession("juan");
  expect(await unfinished()).toEqual(["maria", "juan"]);
  await deleteUnfinishedLogout();
  await saveUnfinishedLogout(null);
  expect(await unfinished()).toEqual(["maria", "juan"]);
});
