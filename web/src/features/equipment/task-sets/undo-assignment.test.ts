import { create } from "@bufbuild/protobuf";
import { createRouterTransport } from "@connectrpc/connect";
import { expect, it } from "vitest";
import { RestError } from "#/api/failure";
import {
  TaskSetChangeKind as Kind,
  TaskSetResultSchema,
  TaskSetService,
} from "#/api/gen/hourmeter/equipment/v1/task_sets_pb";
import { undoAssignment } from "./undo-assignment";

const result = (assigned: boolean, kind: Kind, ok = true) =>
  create(TaskSetResultSchema, { ok, assigned, changes: [{ kind }] });

it("an assignment can be undone unless a machine that had the set changed", () => {
  expect(undoAssignment("s", [result(false, Kind.ADDED)])).not.toBeNull();
  expect(undoAssignment("s", [result(false, Kind.ADDED), result(true, Kind.SAME)])).not.toBeNull();
  expect(undoAssignment("s", [result(false, Kind.ADDED), result(true, Kind.ADDED)])).toBeNull();
  expect(undoAssignment("s", [result(true, Kind.SAME)])).toBeNull();
  expect(undoAssignment("s", [result(false, Kind.ADDED, false)])).toBeNull();
});

/** Undoes the assignment to 51 machines, each with a task of its own. */
async function undoMany(refused: string) {
  const ids = Array.from({ length: 51 }, (_, number) => `e${number}`);
  const results = ids.map((equipmentId) =>
    create(TaskSetResultSchema, {
      ok: true,
      equipmentId,
      changes: [{ kind: Kind.ADDED }, { kind: Kind.SAME, taskId: `own ${equipmentId}` }],
    }),
  );
  const calls: Array<{ machines: readonly string[]; kept: readonly string[] }> = [];
  const transport = createRouterTransport(({ service }) =>
    service(TaskSetService, {
      applyTaskSet: ({ equipmentIds, keepTaskIds }) => {
        calls.push({ machines: equipmentIds, kept: keepTaskIds });
        return {
          results: equipmentIds.map((equipmentId) => ({
            equipmentId,
            ok: equipmentId !== refused,
            code: equipmentId === refused ? "NOT_FOUND" : "",
          })),
        };
      },
    }),
  );
  const error: unknown = await undoAssignment(
    "s",
    results,
  )?.(transport).catch((caught: unknown) => caught);
  return { ids, calls, error };
}

it("the undo of an assignment sends with each part the tasks that its machines keep", async () => {
  const { ids, calls, error } = await undoMany("");
  const own = (machines: readonly string[]) => machines.map((id) => `own ${id}`);
  expect(error).toBe(0);
  expect(calls).toEqual([
    { machines: ids.slice(0, 50), kept: own(ids.slice(0, 50)) },
    { machines: ["e50"], kept: ["own e50"] },
  ]);
});

it("the undo of an assignment fails with a refused machine, after the others", async () => {
  const { calls, error } = await undoMany("e3");
  expect(calls).toHaveLength(2);
  expect(error).toBeInstanceOf(RestError);
});
