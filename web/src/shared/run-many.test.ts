import { Code, ConnectError } from "@connectrpc/connect";
import { afterEach, describe, expect, it, vi } from "vitest";
import { runMany } from "./run-many";

afterEach(() => {
  vi.useRealTimers();
});

describe("many calls", () => {
  it("run a few at a time and return the failed rows in order", async () => {
    const rows = Array.from({ length: 20 }, (_, index) => index);
    let running = 0;
    let most = 0;
    const progress: number[] = [];
    const failed = await runMany(
      rows,
      async (row) => {
        running += 1;
        most = Math.max(most, running);
        await Promise.resolve();
        running -= 1;
        if (row % 7 === 3) throw new ConnectError(`no ${row}`, Code.NotFound);
      },
      (done) => progress.push(done),
    );
    expect(failed.map(({ row }) => row)).toEqual([3, 10, 17]);
    expect(progress).toEqual(rows.map((row) => row + 1));
    expect(most).toBe(4);
  });

  it("wait for a rate limit", async () => {
    vi.useFakeTimers();
    const call = vi
      .fn<() => Promise<void>>()
      .mockRejectedValueOnce(new ConnectError("later", Code.ResourceExhausted));
    const failed = runMany(["a"], call, () => undefined);
    await vi.advanceTimersByTimeAsync(5000);
    expect(await failed).toEqual([]);
    expect(call).toHaveBeenCalledTimes(2);
  });
});
