import { whenIdle } from "#/shared/idle";
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
/** Behind the first data, because it brings the code of grpc-web. */
export const LiveSync = lazyPart(async () => {
  await new Promise<void>(whenIdle);
  return (await import("./offline-data/live-sync")).LiveSync;
});
export const OwnUpdates = lazyPart(() => parts().then((module) => module.OwnUpdates));
