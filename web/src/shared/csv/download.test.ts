import { expect, it, vi } from "vitest";
import { download } from "./download";
import { fileDate } from "./file-date";

it("hands over a file under a name that every system takes", async () => {
  const made: Blob[] = [];
  vi.stubGlobal("URL", {
    createObjectURL: (blob: Blob) => {
      made.push(blob);
      return "blob:x";
    },
    revokeObjectURL: () => undefined,
  });
  const names: string[] = [];
  vi.spyOn(HTMLAnchorElement.prototype, "click").mockImplementation(function (
    this: HTMLAnchorElement,
  ) {
    names.push(this.download);
  });
  download("equipment/history:1.csv", "a\r\n");
  expect(names).toEqual(["equipment-history-1.csv"]);
  expect(made[0]?.size).toBe(3);
  expect(document.querySelector("a")).toBeNull();
  vi.unstubAllGlobals();
});

it("names a file by the reader's day", () => {
  expect(fileDate(new Date(2025, 0, 5, 23, 59))).toBe("2025-01-05");
  expect(fileDate(new Date(2026, 10, 21))).toBe("2026-11-21");
});
