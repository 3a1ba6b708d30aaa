import { useStore } from "../store";
import { shownInstallWay } from "./install-offer";
import type { InstallWay } from "./install-way";

export { promptInstall } from "./install-offer";

export const useInstallWay = (): InstallWay => useStore(shownInstallWay);
