import { useState } from "react";
import { runMany, type Failed } from "./run-many";

/** One call for many rows; each succeeds or fails on its own, and a repeat has only those that failed. */
export function useRunMany<Row, Values = void>(
  all: readonly Row[],
  call: (row: Row, values: Values) => Promise<unknown>,
  /** Called after each run. */
  onRun: (succeeded: number, failed: readonly Failed<Row>[]) => void,
) {
  const [progress, setProgress] = useState<number | null>(null);
  const [failed, setFailed] = useState<readonly Failed<Row>[]>([]);
  const rows = failed.length > 0 ? failed.map(({ row }) => row) : all;
  async function run(values: Values) {
    setProgress(0);
    const left = await runMany(rows, (row) => call(row, values), setProgress);
    setProgress(null);
    setFailed(left);
    onRun(rows.length - left.length, left);
  }
  return { run, rows, failed, progress };
}
