import { create } from "@bufbuild/protobuf";
import { expect, it } from "vitest";
import {
  TaskSetChangeKind as Kind,
  TaskSetResultSchema,
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
