import { lazyPart, loadPersistently } from "#/shared/lazy-part";

const parts = () => import("./later-parts");

// Right behind the page's own code: the next connection may be hours away.
void loadPersistently(parts);

export const CheckSheet = lazyPart(() => parts().then((module) => module.CheckSheet));
export const EquipmentSheet = lazyPart(() => parts().then((module) => module.EquipmentSheet));
export const InstallHint = lazyPart(() => parts().then((module) => module.InstallHint));
export const LastKept = lazyPart(() => parts().then((module) => module.LastKept));
export const LeaveDialog = lazyPart(() => parts().then((module) => module.LeaveDialog));
export const RestoredLine = lazyPart(() => parts().then((module) => module.RestoredLine));
export const OwnUpdates = lazyPart(() => parts().then((module) => module.OwnUpdates));
