/** What is recorded for a machine. */
export type MachineEntry = "reading" | "fuel" | "service" | "note";

export type QuickAddKind = MachineEntry | "machine" | "operator";
