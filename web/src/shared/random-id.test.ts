import { expect, test, vi } from "vitest";
import { formatUuid, randomId } from "./random-id";

const uuid4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

test("bytes become a version 4 UUID", () => {
  expect(formatUuid(new Uint8Array(16))).toBe("00000000-0000-4000-8000-000000000000");
  expect(formatUuid(new Uint8Array(16).fill(255))).toBe("ffffffff-ffff-4fff-bfff-ffffffffffff");
});

test("works on a plain http address, where randomUUID is missing", () => {
  const getRandomValues = crypto.getRandomValues.bind(crypto);
  vi.stubGlobal("crypto", { getRandomValues });
  expect(randomId()).toMatch(uuid4);
  expect(randomId()).not.toBe(randomId());
  vi.unstubAllGlobals();
});
