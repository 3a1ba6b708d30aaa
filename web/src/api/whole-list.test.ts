import { create } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { PageResponseSchema } from "./gen/hourmeter/common/v1/page_pb";
import { wholeList } from "./whole-list";

test("wholeList reads every page once", async () => {
  const asked: string[] = [];
  const load = ({ limit, cursor }: { limit: number; cursor: string }) => {
    expect(limit).toBe(500);
    asked.push(cursor);
    const next = asked.length < 3 ? `after ${asked.length}` : "";
    const page = create(PageResponseSchema, { nextCursor: next });
    return Promise.resolve({ rows: [asked.length], page });
  };
  const whole = await wholeList(load, (all, next) => all.rows.push(...next.rows));
  expect(whole.rows).toEqual([1, 2, 3]);
  expect(asked).toEqual(["", "after 1", "after 2"]);
});
