import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { describe, expect, it } from "vitest";
import {
  OperatorUpdateSchema,
  UpdateStatus,
} from "#/api/gen/hourmeter/operator_updates/v1/operator_updates_pb";
import {
  readHistory,
  rejectedAmong,
  updatesIn,
  withoutSent,
  withUpdate,
  type History,
} from "./own-history";

const row = (id: string, more: MessageInitShape<typeof OperatorUpdateSchema> = {}) =>
  create(OperatorUpdateSchema, { id, clientId: `client-${id}`, ...more });
const ids = ({ updates }: { updates: readonly { id: string }[] }) => updates.map(({ id }) => id);

const history = (...pages: string[][]): History => ({
  pages: pages.map((page) => ({ updates: page.map((id) => row(id)), cursor: null })),
  pageParams: pages.map(String),
});
const shown = (known: History) => ids({ updates: updatesIn(known) });

describe("a row that the server has just answered", () => {
  it("comes on top", () => {
    expect(shown(withUpdate(history(["1"]), row("2")))).toEqual(["2", "1"]);
    expect(shown(withUpdate(history([]), row("2")))).toEqual(["2"]);
  });

  it("stands once when its first answer had been lost, on whichever page", () => {
    const next = withUpdate(history(["3"], ["2", "1"]), row("2", { status: UpdateStatus.APPLIED }));
    expect(shown(next)).toEqual(["3", "2", "1"]);
    expect(updatesIn(next)[1]?.status).toBe(UpdateStatus.APPLIED);
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
  expect(readHistory([])).toMatchObject({ pages: [{ updates: [] }] });
});
