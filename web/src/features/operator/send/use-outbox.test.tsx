import { BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import { Code, ConnectError, createRouterTransport } from "@connectrpc/connect";
import { screen } from "@testing-library/react";
import { useEffect } from "react";
import { beforeEach, expect, it, vi } from "vitest";
import { OperatorUpdatesService } from "#/api/gen/hourmeter/operator_updates/v1/operator_updates_pb";
import type { EntryRecord } from "#/device/entries";
import { operator, renderPart, stubRest } from "#/test/render-app";
import type { OutboxEntry } from "./outbox-entry";
import { useOutbox, useOutboxState } from "./use-outbox";

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

/** The calls by which entries are sent, each as the person whom it expects to be signed in. */
async function send(answer: () => void) {
  const expected: (string | null)[] = [];
  const transport = createRouterTransport(({ service }) =>
    service(OperatorUpdatesService, {
      submitUpdate: ({ clientId }, { requestHeader }) => {
        expected.push(requestHeader.get("X-Expected-User"));
        answer();
        return { update: { id: clientId, clientId, operatorId: operator.id }, created: true };
      },
    }),
  );
  const asked = stubRest({ "GET /api/auth/user": { status: 200, body: operator } });
  await renderPart(<Sender />, transport);
  return { expected, asked };
}

it("sends each queued entry with one call, and asks nothing else", async () => {
  const { expected, asked } = await send(() => undefined);
  await screen.findByText("0 left, blocked by nothing");
  expect(expected).toEqual(Array.from({ length: queued }, () => operator.id));
  expect(asked).toEqual([]);
});

it("keeps all entries when somebody else is signed in, after one call", async () => {
  const { expected } = await send(() => {
    const error = new ConnectError("Somebody else is signed in", Code.Aborted);
    const reason = new BinaryWriter().tag(1, WireType.LengthDelimited).string("OTHER_PERSON");
    error.details = [{ type: "google.rpc.ErrorInfo", value: reason.finish() }];
    throw error;
  });
  await screen.findByText(`${queued} left, blocked by session`);
  expect(expected).toEqual([operator.id]);
  expect(device.size).toBe(queued);
});
