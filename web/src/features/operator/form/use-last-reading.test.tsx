import { renderHook } from "@testing-library/react";
import { expect, it } from "vitest";
import { ago, fieldMachine } from "../operator.fixture";
import { useLastReading } from "./use-last-reading";

it.each([
  ["hours", 0, null, "0 h · not read yet"],
  ["hours", 0, ago(0), "0 h · read today"],
  ["n/a", 0, null, ""],
  ["n/a", 0, ago(0), ""],
  ["n/a", 7, ago(0), "7 · read today"],
] as const)("of a machine in %s at %d, read at %s, is %j", (unit, reading, at, text) => {
  const { result } = renderHook(useLastReading);
  const shown = result.current(fieldMachine("e1", { unit }), { reading, at, own: false });
  const [before = ""] = shown.replaceAll("\u00a0", " ").split(/(?<=today)/);
  expect(before).toBe(text);
});
