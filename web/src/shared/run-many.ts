import { toFailure } from "#/api/errors";

const atOnce = 4;
const tries = 3;
const defaultWait = 5;

export interface Failed<Row> {
  row: Row;
  error: unknown;
}

/**
 * Makes a call for each row, a few at a time, and returns the rows that failed. A rate limit is
 * waited for. A stop leaves out the rows that were not begun.
 */
export async function runMany<Row>(
  rows: readonly Row[],
  call: (row: Row) => Promise<unknown>,
  onProgress: (done: number) => void,
  isStopped: () => boolean = () => false,
): Promise<Failed<Row>[]> {
  const failed: Failed<Row>[] = [];
  const waiting = [...rows];
  let done = 0;
  async function work(): Promise<void> {
    const row = waiting.shift();
    if (row === undefined || isStopped()) return;
    try {
      await patiently(() => call(row), tries, isStopped);
    } catch (error) {
      failed.push({ row, error });
    }
    done += 1;
    onProgress(done);
    return work();
  }
  await Promise.all(Array.from({ length: atOnce }, work));
  return rows.flatMap((row) => failed.find((one) => one.row === row) ?? []);
}

async function patiently<Result>(
  call: () => Promise<Result>,
  left: number,
  isStopped: () => boolean,
): Promise<Result> {
  try {
    return await call();
  } catch (error) {
    const { status, retryAfter } = toFailure(error);
    if (status !== 429 || left <= 1) throw error;
    await new Promise((resolve) => {
      setTimeout(resolve, (retryAfter ?? defaultWait) * 1000);
    });
    if (isStopped()) throw error;
    return patiently(call, left - 1, isStopped);
  }
}
