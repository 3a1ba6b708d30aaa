import {
  lazy,
  type ComponentType,
  Suspense,
  useEffect,
  useState,
  useSyncExternalStore,
} from "react";
import { currentToast, subscribe } from "./store";

const load = (): Promise<{ default: ComponentType }> =>
  import("./toaster").then(
    (module) => ({ default: module.Toaster }),
    // Without a connection. What a toast says can also be read on the page.
    () => ({ default: () => null }),
  );
const Toaster = lazy(load);

/** Loads the toaster after the page, and shows it with the first toast. */
export function ToasterOnDemand() {
  const shown = useSyncExternalStore(subscribe, currentToast) !== null;
  const [wanted, setWanted] = useState(false);
  if (shown && !wanted) setWanted(true);
  useEffect(() => void load(), []);
  return (
    wanted && (
      <Suspense>
        <Toaster />
      </Suspense>
    )
  );
}
