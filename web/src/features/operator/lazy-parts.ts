import { withTexts } from "#/i18n/lazy-with-texts";
import { idlePart, lazyPart, loadPersistently } from "#/shared/lazy-part";

export const parts = withTexts(["phone"], () => import("./later-parts"));

/** Loads all parts when the page is shown, because the connection may be lost for hours. */
export const loadParts = () => void loadPersistently(parts);

export const CheckSheet = lazyPart(() => parts().then((module) => module.CheckSheet));
export const CorrectionNotice = lazyPart(() => parts().then((module) => module.CorrectionNotice));
export const EquipmentSheet = lazyPart(() => parts().then((module) => module.EquipmentSheet));
export const InstallHint = lazyPart(() => parts().then((module) => module.InstallHint));
export const LastSubmitted = lazyPart(() => parts().then((module) => module.LastSubmitted));
export const OthersBanner = lazyPart(() => parts().then((module) => module.OthersBanner));
export const OutboxView = lazyPart(() => parts().then((module) => module.OutboxView));
export const RestoredLine = lazyPart(() => parts().then((module) => module.RestoredLine));
/** Loaded when idle, because it includes grpc-web. */
export const LiveSync = idlePart(() =>
  import("./offline-data/live-sync").then((module) => module.LiveSync),
);
export const OwnUpdates = lazyPart(() => parts().then((module) => module.OwnUpdates));
