import { describe, expect, it } from "vitest";
import { editLines, meterLines, serviceLines } from "./record-lines";

describe("what was edited", () => {
  it("is parsed field by field", () => {
    expect(
      editLines("Name: Loader → Loader 2; Service parts changed; Description changed"),
    ).toEqual([
      { kind: "change", field: "Name", before: "Loader", after: "Loader 2" },
      { kind: "parts" },
      { kind: "description" },
    ]);
  });

  it("keeps a semicolon within a name", () => {
    expect(editLines("Name: A; B → C: 1; 2; Serial number: none → A1")).toEqual([
      { kind: "change", field: "Name", before: "A; B", after: "C: 1; 2" },
      { kind: "change", field: "Serial number", before: "none", after: "A1" },
    ]);
  });

  it("is unchanged if it is not recognized", () => {
    expect(editLines("Colour: red → blue")).toEqual([{ kind: "text", text: "Colour: red → blue" }]);
  });
});

describe("what a service was", () => {
  it("is the notes, the cost and the day", () => {
    expect(
      serviceLines("Oil and filters\nall good\nCost: $125.50\nPerformed on 2026-02-03"),
    ).toEqual([
      { kind: "text", text: "Oil and filters\nall good" },
      { kind: "cost", cents: 12_550 },
      { kind: "performedOn", date: "2026-02-03" },
    ]);
  });

  it("may be its cost alone, or nothing", () => {
    expect(serviceLines("Cost: $0.05")).toEqual([{ kind: "cost", cents: 5 }]);
    expect(serviceLines("")).toEqual([]);
  });

  it("parses nothing within the notes", () => {
    const text = "Cost: $1.00\nas agreed";
    expect(serviceLines(text)).toEqual([{ kind: "text", text }]);
  });
});

describe("a snooze", () => {
  it.each([
    [
      'Service task "Oil" snoozed until 2026-03-12: Parts: ordered',
      {
        kind: "snoozed",
        name: "Oil",
        until: { date: "2026-03-12" },
        reason: "Parts: ordered",
      },
    ],
    [
      "Regular service snoozed until 1020.5 hours: Later",
      {
        kind: "snoozed",
        name: null,
        until: { amount: 1020.5, unit: "hours" },
        reason: "Later",
      },
    ],
    ['Service task "Oil" no longer snoozed', { kind: "woken", name: "Oil" }],
    ["Regular service no longer snoozed", { kind: "woken", name: null }],
  ])("%s", (content, line) => expect(editLines(content)).toEqual([line]));
});

describe("a change of the regular service", () => {
  it("lists the fields of its rule", () => {
    const content =
      "Regular service changed: Counts: from the last service → on the mark; Usage warning: usual → 30";
    expect(editLines(content)).toEqual([
      { kind: "taskChanged", name: null },
      {
        kind: "taskChange",
        field: "Counts",
        before: "from the last service",
        after: "on the mark",
      },
      {
        kind: "taskChange",
        field: "Usage warning",
        before: "usual",
        after: "30",
      },
    ]);
  });
});

describe("a change of a service task", () => {
  it.each([
    ["250 hours or 6 months", { amount: 250, unit: "hours" }, { count: 6, unit: "months" }],
    ["1 hour", { amount: 1, unit: "hours" }, null],
    ["5000 kilometers", { amount: 5000, unit: "kilometers" }, null],
    ["40", { amount: 40, unit: "n/a" }, null],
    ["1 year", null, { count: 1, unit: "years" }],
    ["30 days", null, { count: 30, unit: "days" }],
  ])("added: every %s", (every, usage, period) => {
    expect(editLines(`Service task "Oil "A" filter" added: every ${every}`)).toEqual([
      { kind: "taskAdded", name: 'Oil "A" filter', every: { usage, period } },
    ]);
  });

  it("changed, field by field, also with a semicolon within its name", () => {
    expect(
      editLines(
        'Service task "Oil; air" changed: Name: Oil; air → Oil filter; Usage interval: 250 → 0; Calendar interval: none → 6 months; Last done at: 1000.5 → 900; Last done on: 2026-03-10 → none',
      ),
    ).toEqual([
      { kind: "taskChanged", name: "Oil; air" },
      {
        kind: "taskChange",
        field: "Name",
        before: "Oil; air",
        after: "Oil filter",
      },
      {
        kind: "taskChange",
        field: "Usage interval",
        before: "250",
        after: "0",
      },
      {
        kind: "taskChange",
        field: "Calendar interval",
        before: "none",
        after: "6 months",
      },
      {
        kind: "taskChange",
        field: "Last done at",
        before: "1000.5",
        after: "900",
      },
      {
        kind: "taskChange",
        field: "Last done on",
        before: "2026-03-10",
        after: "none",
      },
    ]);
  });

  it("removed", () => {
    expect(editLines('Service task "Belts" removed')).toEqual([
      { kind: "taskRemoved", name: "Belts" },
    ]);
  });

  it.each([
    'Service task "Oil" added: every 3 fortnights',
    'Service task "Oil" added: every now and then',
    'Service task "Oil" removed; Name: A → B',
    'Service task "Oil" moved',
  ])("is unchanged if it is not recognized: %s", (text) => {
    expect(editLines(text)[0]).toEqual({
      kind: "text",
      text: text.split("; Name")[0],
    });
  });
});

describe("a change of a meter", () => {
  const hours = (amount: number) => ({ amount, unit: "hours" });

  it("is the end of one and the start of the next", () => {
    expect(
      meterLines(
        "Meter replaced: the old one ended at 4812.5 hours, the new one began at 0 hours.",
      ),
    ).toEqual([{ kind: "meterReplaced", ended: hours(4812.5), began: hours(0) }]);
    expect(meterLines("Meter began again after 10000 hours.")).toEqual([
      { kind: "meterRolledOver", after: hours(10_000) },
    ]);
  });

  it("includes the new meter's reading and the notes", () => {
    expect(
      meterLines(
        "Meter replaced: the old one ended at 99 miles, the new one began at 1 miles. It shows 12.4 miles.\nBroken glass.\nBy Ruiz",
      ),
    ).toEqual([
      {
        kind: "meterReplaced",
        ended: { amount: 99, unit: "miles" },
        began: { amount: 1, unit: "miles" },
      },
      { kind: "meterShows", reading: { amount: 12.4, unit: "miles" } },
      { kind: "text", text: "Broken glass.\nBy Ruiz" },
    ]);
    expect(meterLines("Meter began again after 100000 kilometers.\nIt shows 5 hours.")).toEqual([
      {
        kind: "meterRolledOver",
        after: { amount: 100_000, unit: "kilometers" },
      },
      { kind: "text", text: "It shows 5 hours." },
    ]);
  });

  it("is unchanged if it is not recognized", () => {
    expect(meterLines("Meter painted")).toEqual([{ kind: "text", text: "Meter painted" }]);
    const odd = "Meter began again after 5 furlongs.";
    expect(meterLines(odd)).toEqual([{ kind: "text", text: odd }]);
    expect(meterLines("")).toEqual([]);
  });

  it("can be a correction of what the dial shows", () => {
    expect(editLines("Current usage: 4824.5 → 4820; Meter reading: 12 → 7.5")).toEqual([
      {
        kind: "change",
        field: "Current usage",
        before: "4824.5",
        after: "4820",
      },
      { kind: "change", field: "Meter reading", before: "12", after: "7.5" },
    ]);
  });
});
