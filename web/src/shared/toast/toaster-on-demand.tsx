import { lazy, Suspense, useState, useSyncExternalStore } from "react";
import { currentToast, subscribe } from "./store";

const Toaster = lazy(() => import("./toaster").then((module) => ({ default: module.Toaster })));

/** Loads the toaster with the first toast. */
export function ToasterOnDemand() {
  const shown = useSyncExternalStore(subscribe, currentToast) !== null;
  const [wanted, setWanted] = useState(false);
  if (shown && !wanted) setWanted(true);
  return (
    wanted && (
      <Suspense>
        <Toaster />
      </Suspense>
    )
  );
}
