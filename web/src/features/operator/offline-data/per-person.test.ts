import { expect, it } from "vitest";
import { forgetPerson } from "#/device/person";
import { createQueryClient } from "#/session/query-client";
import { perPerson } from "./per-person";

const tools = (userId: string) => ({ userId, client });
const client = createQueryClient();

it("nothing of who has signed out stays in memory, unless it would be lost", async () => {
  const listOf = perPerson(() => ({}));
  const outboxOf = perPerson(
    () => ({}),
    () => true,
  );
  const [list, others, outbox] = [listOf(tools("u1")), listOf(tools("u2")), outboxOf(tools("u1"))];
  expect(listOf(tools("u1"))).toBe(list);
  await forgetPerson("u1");
  expect(listOf(tools("u1"))).not.toBe(list);
  expect(listOf(tools("u2"))).toBe(others);
  expect(outboxOf(tools("u1"))).toBe(outbox);
});

it("what ends late for a page that is gone takes nothing away from the one on screen", () => {
  const listOf = perPerson(() => ({}));
  const before = { ...tools("u1"), client: createQueryClient() };
  const old = listOf(before);
  const list = listOf(tools("u1"));
  expect(listOf(before)).toBe(old);
  expect(listOf(tools("u1"))).toBe(list);
});
