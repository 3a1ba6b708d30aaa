import { createClient } from "@connectrpc/connect";
import { afterEach, expect, test, vi } from "vitest";
import { EquipmentService } from "./gen/hourmeter/equipment/v1/equipment_pb";
import { restVoid } from "./rest";
import { traceparent } from "./traceparent";
import { createTransport } from "./transport";

const form = /^00-[0-9a-f]{32}-[0-9a-f]{16}-00$/;

afterEach(() => vi.unstubAllGlobals());

/** Collects the headers of all following calls. */
function sent(): Headers[] {
  const calls: Headers[] = [];
  vi.stubGlobal("fetch", (_: string, init: RequestInit) => {
    calls.push(new Headers(init.headers));
    return Promise.resolve(new Response(null, { status: 503 }));
  });
  return calls;
}

test("each trace context is unique and well-formed", () => {
  const some = Array.from({ length: 100 }, traceparent);
  expect(new Set(some).size).toBe(100);
  for (const one of some) expect(one).toMatch(form);
});

test("ids are never zero", () => {
  vi.stubGlobal("crypto", { getRandomValues: (bytes: Uint8Array) => bytes.fill(0) });
  expect(traceparent()).toBe(`00-01${"0".repeat(30)}-01${"0".repeat(14)}-00`);
});

test("each REST and grpc-web call has its own trace context", async () => {
  const calls = sent();
  await expect(restVoid("GET", "/api/x")).rejects.toBeInstanceOf(Error);
  await expect(restVoid("POST", "/api/x")).rejects.toBeInstanceOf(Error);
  const equipment = createClient(EquipmentService, createTransport("http://localhost"));
  await expect(equipment.listEquipment({})).rejects.toBeInstanceOf(Error);
  const seen = calls.map((headers) => headers.get("traceparent"));
  expect(seen).toHaveLength(3);
  for (const one of seen) expect(one).toMatch(form);
  expect(new Set(seen).size).toBe(3);
});
