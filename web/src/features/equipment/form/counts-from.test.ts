import { expect, it } from "vitest";
import { countsFrom } from "./counts-from";

const none = { serviceInterval: 0 };
const typed = (typedLast: number | null, interval = 250) => ({
  typedLast,
  interval,
  usage: 4812.5,
});

it.each([
  ["a new piece, nothing typed", null, typed(null), 4812.5],
  ["a new piece, typed", null, typed(4600), 4600],
  ["an interval that begins", none, typed(null), 4812.5],
  ["a new interval where 0 means unknown", { ...none, lastServiceUsage: 0 }, typed(0), 4812.5],
  ["one that begins, last service typed", none, typed(4600), 4600],
  ["one that begins, last service known", { ...none, lastServiceUsage: 4500 }, typed(4500), 4500],
  ["one that begins, last service cleared", { ...none, lastServiceUsage: 4500 }, typed(null), 0],
  ["one that goes on without a last service", { serviceInterval: 100 }, typed(null), 0],
  ["one that goes on", { serviceInterval: 100, lastServiceUsage: 4500 }, typed(4500), 4500],
  ["none", none, typed(null, 0), 0],
])("counts from the same usage as the server: %s", (_, before, values, usage) => {
  expect(countsFrom(before, values)).toBe(usage);
});
