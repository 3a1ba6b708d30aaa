import type { ReactNode } from "react";
import { createStore } from "../store";

export interface PrintColumn {
  header: string;
  align?: "start" | "end";
}

export interface PrintJob {
  title: string;
  /** The content in words, e.g. the filters and the count. */
  note?: string;
  columns: readonly PrintColumn[];
  rows: readonly (readonly ReactNode[])[];
  company: string;
  date: string;
}

// One report at a time; the host at the root of the page prints it.
export const printJob = createStore<PrintJob | null>(null);
export const { get: currentPrintJob, set: setPrintJob } = printJob;
