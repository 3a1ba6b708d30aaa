import { describe, expect, it } from "vitest";
import { editLines, serviceLines } from "./record-lines";

describe("what was edited", () => {
  it("is told field by field", () => {
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

  it("stays as it came where it is not known", () => {
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

  it("takes nothing out of the middle of the notes", () => {
    const text = "Cost: $1.00\nas agreed";
    expect(serviceLines(text)).toEqual([{ kind: "text", text }]);
  });
});
