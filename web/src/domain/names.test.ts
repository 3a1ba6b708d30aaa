import { describe, expect, it } from "vitest";
import { compareNames, plainText } from "./names";

describe("names", () => {
  it("are searched without case and accents", () => {
    expect(plainText("Grúa ÑANDÚ")).toBe("grua nandu");
  });

  it("are sorted without case and accents, and numbers by their value", () => {
    const names = ["Zanja", "Truck 10", "árbol 3", "truck 2", "Arbol 12"];
    expect(names.toSorted(compareNames)).toEqual([
      "árbol 3",
      "Arbol 12",
      "truck 2",
      "Truck 10",
      "Zanja",
    ]);
  });
});
