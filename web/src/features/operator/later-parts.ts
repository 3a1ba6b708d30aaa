// What the first screen of an operator does without, in one file: `lazy-parts.ts` loads it as soon as
// the list of machines is there, because the next connection may be hours away.
export { CheckSheet } from "./check/check-sheet";
export { LastKept } from "./history/last-kept";
export { OwnUpdates } from "./history/own-updates";
export { InstallHint } from "./install-hint";
export { EquipmentSheet } from "./picker/equipment-sheet";
export { LeaveDialog } from "./send/leave-dialog";
