// Parts that the first screen does not need, loaded as one chunk.
export { CheckSheet } from "./check/check-sheet";
export { CorrectionNotice } from "./form/correction-notice";
export { RestoredLine } from "./form/restored-line";
export { LastSubmitted } from "./history/last-submitted";
export { OwnUpdates } from "./history/own-updates";
export { InstallHint } from "./install-hint";
export { OthersBanner } from "./others-banner";
export { EquipmentSheet } from "./picker/equipment-sheet";
export { OutboxView } from "./send/outbox-view";
export { sendByDevice } from "./send/send-by-device";
