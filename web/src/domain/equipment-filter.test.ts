import * as v from "valibot";
import { describe, expect, it } from "vitest";
import { equipmentFilterSchema, isFiltered, statusOfPath } from "./equipment-filter";

describe("the filter in the URL", () => {
  it.each([
    ["approaching_service", "approaching"],
    ["time_for_service", "due"],
    ["approaching", "approaching"],
    ["due", "due"],
    ["good", "good"],
    ["overdue", "overdue"],
    ["all", undefined],
    ["nonsense", undefined],
  ])("status=%s means %s", (word, status) => {
    expect(v.parse(equipmentFilterSchema, { status: word }).status).toBe(status);
  });

  it("accepts a search for digits, and drops invalid values", () => {
    expect(v.parse(equipmentFilterSchema, { search: 4821, type: "boat" })).toEqual({
      search: "4821",
    });
  });

  it("accepts an order, and drops an unknown one", () => {
    expect(v.parse(equipmentFilterSchema, { sort: "usage", desc: true })).toEqual({
      sort: "usage",
      desc: true,
    });
    expect(v.parse(equipmentFilterSchema, { sort: "colour", desc: "yes" })).toEqual({});
  });

  it("knows when nothing is filtered", () => {
    expect(isFiltered({})).toBe(false);
    expect(isFiltered({ search: "  " })).toBe(false);
    expect(isFiltered({ type: "tools" })).toBe(true);
    expect(isFiltered({ sort: "name", desc: true })).toBe(false);
  });
});

describe("a status in a path", () => {
  it.each([
    ["all", "all"],
    ["good", "good"],
    ["approaching", "approaching"],
    ["approaching_service", "approaching"],
    ["due", "due"],
    ["time_for_service", "due"],
    ["overdue", "overdue"],
    ["item", null],
    ["Good", null],
    ["", null],
  ])("%s is %s", (word, status) => {
    expect(statusOfPath(word)).toBe(status);
  });
});
