// What the first screen of an operator does without, in one file.
export { CheckSheet } from "./check/check-sheet";
export { RestoredLine } from "./form/restored-line";
export { LastKept } from "./history/last-kept";
export { OwnUpdates } from "./history/own-updates";
export { InstallHint } from "./install-hint";
export { EquipmentSheet } from "./picker/equipment-sheet";
export { LeaveDialog } from "./send/leave-dialog";
