import { createRouterTransport } from "@connectrpc/connect";
import { screen } from "@testing-library/react";
import { useEffect } from "react";
import { beforeEach, expect, it, vi } from "vitest";
import type { EntryRecord } from "#/device/entries";
import { operator, renderPart, stubRest, type Answer } from "#/test/render-app";
import { operatorServer } from "../operator.fixture";
import type { OutboxEntry } from "./outbox-entry";
import { useOutboxState } from "./outbox-state";
import { useOutbox } from "./use-outbox";

const device = vi.hoisted(() => new Map<number, EntryRecord>());

vi.mock(import("#/device/entries"), async (original) => ({
  ...(await original()),
  listEntries: (userId: string) =>
    Promise.resolve([...device.values()].filter((record) => record.userId === userId)),
  changeEntry: (seq: number, change: (entry: unknown) => unknown) => {
    const record = device.get(seq);
    if (record) device.set(seq, { ...record, entry: change(record.entry) });
    return Promise.resolve();
  },
  removeEntry: (seq: number) => {
    device.delete(seq);
    return Promise.resolve();
  },
}));

const queued = 50;

beforeEach(() => {
  device.clear();
  for (let seq = 1; seq <= queued; seq += 1) {
    const entry: OutboxEntry = {
      clientId: `c${seq}`,
      capturedAt: "2026-11-20T08:15:00.000Z",
      equipmentId: "e1",
      equipmentName: "Excavator",
      reading: seq,
      fuelAdded: null,
      fuelKind: "gas",
      notes: "",
      state: "waiting",
      reason: null,
      failures: 0,
      clockError: null,
      clockMoment: "of an earlier page",
    };
    device.set(seq, { seq, userId: operator.id, username: "maria4821", name: null, entry });
  }
});

function Sender() {
  const outbox = useOutbox(operator.id);
  const { entries, blockedBy, loaded } = useOutboxState(outbox);
  useEffect(() => outbox.start(), [outbox]);
  return loaded ? <p>{`${entries.length} left, blocked by ${blockedBy ?? "nothing"}`}</p> : null;
}

/** Starts an outbox and returns the calls to the server. */
async function send(answerSubmission: () => Answer | void = () => undefined) {
  const { routes } = operatorServer({ answerSubmission });
  const calls = stubRest({ ...routes, "GET /api/auth/user": { status: 200, body: operator } });
  await renderPart(
    <Sender />,
    createRouterTransport(() => undefined),
  );
  return calls;
}

it("sends each queued entry with one call as its user and no other call", async () => {
  const calls = await send();
  await screen.findByText("0 left, blocked by nothing");
  expect(calls.map(({ method, path }) => `${method} ${path}`)).toEqual(
    Array.from({ length: queued }, () => "POST /api/operator-updates"),
  );
  expect(new Set(calls.map(({ headers }) => headers.get("X-Expected-User")))).toEqual(
    new Set([operator.id]),
  );
});

it("keeps all entries after one call when another user is signed in", async () => {
  const otherUser = { message: "Another user is signed in", code: "OTHER_PERSON" };
  const calls = await send(() => ({ status: 409, body: otherUser }));
  await screen.findByText(`${queued} left, blocked by session`);
  expect(calls.filter(({ method }) => method === "POST")).toHaveLength(1);
  expect(device.size).toBe(queued);
});
