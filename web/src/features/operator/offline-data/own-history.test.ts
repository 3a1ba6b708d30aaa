import { describe, expect, it } from "vitest";
import {
  correctedAmong,
  readHistory,
  rejectedAmong,
  updatesIn,
  withoutSent,
  withUpdate,
  type History,
} from "./own-history";
import type { OwnUpdate } from "./own-update";
import { ownUpdate } from "../operator.fixture";

const row = (id: string, more: Partial<OwnUpdate> = {}) =>
  ownUpdate(id, { clientId: `client-${id}`, ...more });
const ids = ({ updates }: { updates: readonly { id: string }[] }) => updates.map(({ id }) => id);

const history = (...pages: string[][]): History => ({
  pages: pages.map((page) => ({ updates: page.map((id) => row(id)), cursor: null })),
  pageParams: pages.map(String),
});
const shown = (history: History) => ids({ updates: updatesIn(history) });

describe("an accepted update", () => {
  it("is added on top", () => {
    expect(shown(withUpdate(history(["1"]), row("2")))).toEqual(["2", "1"]);
    expect(shown(withUpdate(history([]), row("2")))).toEqual(["2"]);
  });

  it("replaces its earlier version on any page", () => {
    const next = withUpdate(history(["3"], ["2", "1"]), row("2", { status: "applied" }));
    expect(shown(next)).toEqual(["3", "2", "1"]);
    expect(updatesIn(next)[1]?.status).toBe("applied");
  });

  it("replaces its unsent entry", () => {
    const entries = [{ clientId: "client-1" }, { clientId: "client-2" }];
    expect(withoutSent(entries, [row("2")])).toEqual([{ clientId: "client-1" }]);
  });
});

it("shows recent rejections until they are seen", () => {
  const now = new Date("2026-11-20T09:00:00Z");
  const daysAgo = (days: number) => new Date(now.getTime() - days * 24 * 60 * 60 * 1000);
  const rejected = (id: string, days: number) =>
    row(id, { status: "rejected", reviewedAt: daysAgo(days) });
  const updates = [
    rejected("new", 1),
    rejected("seen", 2),
    rejected("old", 15),
    { ...rejected("withdrawn", 1), withdrawn: true },
    row("applied", { status: "applied", reviewedAt: daysAgo(1) }),
  ];
  expect(ids({ updates: rejectedAmong(updates, new Set(["seen"]), now) })).toEqual(["new"]);
});

it("ignores a withdrawn correction, unless it was corrected too", () => {
  const updates = [row("c2"), row("c1", { withdrawn: true }), row("r")];
  const corrected = (...pairs: string[]) => [...correctedAmong(updates, pairs)].toSorted();
  expect(corrected("r client-c1")).toEqual([]);
  expect(corrected("r client-c1", "c1 client-c2")).toEqual(["c1", "r"]);
  expect(corrected("r client-c1", "r client-c2")).toEqual(["r"]);
  expect(corrected("r client-unsent", "stored by an earlier version")).toEqual(["r", "stored"]);
});

it("reads a cached history and ignores damaged and older versions", () => {
  const cached = structuredClone([row("1", { reviewedAt: new Date() })]);
  expect(readHistory(cached)).toEqual({
    pages: [{ updates: cached, cursor: null }],
    pageParams: [""],
  });
  expect(readHistory([new Uint8Array([255, 255, 255])])).toBeNull();
  expect(readHistory("text")).toBeNull();
  expect(readHistory([])).toMatchObject({ pages: [{ updates: [] }] });
});
