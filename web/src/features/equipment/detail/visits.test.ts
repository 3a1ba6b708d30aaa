import { create } from "@bufbuild/protobuf";
import { expect, it } from "vitest";
import {
  HistoryKind,
  NoteSchema,
  NoteType,
  VoidingSchema,
} from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { day, record } from "./detail.fixture";
import { visitNotes, visitsOf } from "./visits";

const service = (id: string, more: Parameters<typeof record>[0] = {}) =>
  record({ id, kind: HistoryKind.SERVICE, performedOn: "2026-11-20", ...more });
const ids = (records: Parameters<typeof visitsOf>[0]) =>
  visitsOf(records, "Regular service").map(({ parts }) => parts.map(({ id }) => id));

it("the tasks of one service are one entry with their names, cost and notes", () => {
  const notes = "Ok\nCost: $80.10";
  const [visit, note] = visitsOf(
    [
      service("grease", { taskName: "Grease", notes: "Ok" }),
      service("filter", { taskName: "Filter", notes: "Ok", cost: 0.2, replaces: "before" }),
      service("oil", { notes: "Ok", content: notes, cost: 80.1 }),
      record({ id: "note", kind: HistoryKind.NOTE }),
    ],
    "Regular service",
  );
  expect(visit?.record).toMatchObject({
    taskName: "Regular service, Filter, Grease",
    cost: 80.3,
    content: "Ok",
    replaces: "before",
  });
  expect(visit?.parts.map(({ id }) => id)).toEqual(["oil", "filter", "grease"]);
  expect(note?.parts).toHaveLength(1);
});

it("an edited service keeps its place in its visit", () => {
  const voiding = create(VoidingSchema, { by: "Ana", replacedBy: "newer" });
  const edited = [
    service("newest", { replaces: "newer", taskName: "Filter" }),
    service("newer", { replaces: "filter", taskName: "Filter", voiding }),
    service("grease", { taskName: "Grease" }),
    service("filter", { taskName: "Filter", voiding }),
    service("oil"),
  ];
  expect(ids(edited)).toEqual([["oil", "newest", "grease"], ["newer"], ["filter"]]);
});

it("services of another moment, day or person, and voided ones, are their own entries", () => {
  const separate = [
    service("oil"),
    service("later", { createdAt: day("2026-11-21") }),
    service("before", { performedOn: "2026-11-19" }),
    service("other", { operatorName: "Ana Ruiz" }),
    service("voided", { voiding: create(VoidingSchema, { by: "Ana" }) }),
    service("voided too", { voiding: create(VoidingSchema, { by: "Ana" }) }),
  ];
  expect(ids(separate)).toEqual(separate.map(({ id }) => [id]));
});

it("the notes of one service of several tasks are one note with the whole cost", () => {
  const note = (
    id: string,
    content: string,
    more: Partial<Record<"authorName" | "taskName", string>> & { type?: NoteType } = {},
  ) =>
    create(NoteSchema, {
      id,
      content,
      type: NoteType.MAINTENANCE,
      authorName: "Dana",
      createdAt: day("2026-11-20"),
      ...more,
    });
  const notes = [
    note("hydraulic", "Oil change\nCost: $20.10", { taskName: "Hydraulics" }),
    note("regular", "Oil change\nCost: $180.00"),
    note("meter", "Meter began again after 9999 hours."),
    note("ana", "Oil change", { authorName: "Ana" }),
    note("typed", "Oil change", { type: NoteType.NOTE }),
  ];
  const shown = visitNotes(notes, "Regular service");
  expect(shown.map(({ content }) => content)).toEqual([
    "Oil change\nCost: $200.10",
    ...notes.slice(2).map(({ content }) => content),
  ]);
  expect(shown.map(({ taskName }) => taskName)).toEqual([
    "Regular service, Hydraulics",
    "",
    "",
    "",
  ]);
});
