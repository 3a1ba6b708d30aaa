import { expect, it } from "vitest";
import { forgetPerson } from "#/device/person";
import { createQueryClient } from "#/session/query-client";
import { perUserSingleton } from "./per-user";

const deps = (userId: string) => ({ userId, client });
const client = createQueryClient();

it("drops the instances of a signed-out user, except those with unsaved data", async () => {
  const listOf = perUserSingleton(() => ({}));
  const outboxOf = perUserSingleton(
    () => ({}),
    () => true,
  );
  const [list, others, outbox] = [listOf(deps("u1")), listOf(deps("u2")), outboxOf(deps("u1"))];
  expect(listOf(deps("u1"))).toBe(list);
  await forgetPerson("u1");
  expect(listOf(deps("u1"))).not.toBe(list);
  expect(listOf(deps("u2"))).toBe(others);
  expect(outboxOf(deps("u1"))).toBe(outbox);
});

it("keeps the instances of the current page when a closed page ends late", () => {
  const listOf = perUserSingleton(() => ({}));
  const before = { ...deps("u1"), client: createQueryClient() };
  const old = listOf(before);
  const list = listOf(deps("u1"));
  expect(listOf(before)).toBe(old);
  expect(listOf(deps("u1"))).toBe(list);
});
