import type { ReactNode } from "react";

export interface PrintColumn {
  header: string;
  align?: "start" | "end";
}

export interface PrintJob {
  title: string;
  /** What is in it, e.g. the filters and the count. */
  note?: string;
  columns: readonly PrintColumn[];
  rows: readonly (readonly ReactNode[])[];
  company: string;
  date: string;
}

// One report at a time; the host at the root of the page brings it to paper.
let current: PrintJob | null = null;
const listeners = new Set<() => void>();

export function setPrintJob(job: PrintJob | null): void {
  current = job;
  for (const listener of listeners) listener();
}

export function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function currentPrintJob(): PrintJob | null {
  return current;
}
