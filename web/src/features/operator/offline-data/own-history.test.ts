import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { describe, expect, it } from "vitest";
import {
  OperatorUpdateSchema,
  UpdateStatus,
} from "#/api/gen/hourmeter/operator_updates/v1/operator_updates_pb";
import { readHistory, rejectedAmong, renewed, withoutSent, withUpdate } from "./own-history";

const row = (id: string, more: MessageInitShape<typeof OperatorUpdateSchema> = {}) =>
  create(OperatorUpdateSchema, { id, clientId: `client-${id}`, ...more });
const ids = ({ updates }: { updates: readonly { id: string }[] }) => updates.map(({ id }) => id);

describe("asking anew", () => {
  const page = { updates: [row("5"), row("4"), row("3")], cursor: "after 3" };

  it("takes the newest page when nothing is known", () => {
    expect(renewed(null, page)).toBe(page);
  });

  it("keeps what had been loaded beyond the page, and how to go on from there", () => {
    const known = { updates: [row("4"), row("3"), row("2"), row("1")], cursor: "after 1" };
    const next = renewed(known, page);
    expect(ids(next)).toEqual(["5", "4", "3", "2", "1"]);
    expect(next.cursor).toBe("after 1");
  });

  it("drops what is known where something may be missing between", () => {
    const known = { updates: [row("2"), row("1")], cursor: null };
    expect(renewed(known, page)).toBe(page);
  });

  it("knows how to go on after what was kept on the device", () => {
    const kept = { updates: [row("4"), row("3")], cursor: undefined };
    expect(renewed(kept, page).cursor).toBe("after 3");
  });

  it("holds an empty list for an empty one", () => {
    const none = { updates: [], cursor: null };
    expect(renewed({ updates: [row("1")], cursor: null }, none)).toBe(none);
  });
});

describe("a row that the server has just answered", () => {
  it("comes on top", () => {
    const known = { updates: [row("1")], cursor: "x" };
    expect(withUpdate(known, row("2"))).toMatchObject({ cursor: "x" });
    expect(ids(withUpdate(known, row("2")))).toEqual(["2", "1"]);
    expect(ids(withUpdate(null, row("2")))).toEqual(["2"]);
  });

  it("stands once when its first answer had been lost", () => {
    const known = { updates: [row("3"), row("2"), row("1")], cursor: null };
    const next = withUpdate(known, row("2", { status: UpdateStatus.APPLIED }));
    expect(ids(next)).toEqual(["3", "2", "1"]);
    expect(next.updates[1]?.status).toBe(UpdateStatus.APPLIED);
  });

  it("takes the place of its entry", () => {
    const entries = [{ clientId: "client-1" }, { clientId: "client-2" }];
    expect(withoutSent(entries, [row("2")])).toEqual([{ clientId: "client-1" }]);
  });
});

it("what was rejected lately is news until it was seen", () => {
  const now = new Date("2026-11-20T09:00:00Z");
  const daysAgo = (days: number) =>
    timestampFromDate(new Date(now.getTime() - days * 24 * 60 * 60 * 1000));
  const rejected = (id: string, days: number) =>
    row(id, { status: UpdateStatus.REJECTED, reviewedAt: daysAgo(days) });
  const updates = [
    rejected("new", 1),
    rejected("seen", 2),
    rejected("old", 15),
    row("applied", { status: UpdateStatus.APPLIED, reviewedAt: daysAgo(1) }),
  ];
  expect(ids({ updates: rejectedAmong(updates, new Set(["seen"]), now) })).toEqual(["new"]);
});

it("a damaged history on the device counts as none", () => {
  expect(readHistory([new Uint8Array([255, 255, 255])])).toBeNull();
  expect(readHistory("text")).toBeNull();
  expect(readHistory([])).toMatchObject({ updates: [] });
});
