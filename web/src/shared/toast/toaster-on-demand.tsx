import { lazy, type ComponentType, Suspense, useEffect, useState } from "react";
import { useStore } from "../store";
import { shownToast } from "./store";

const load = (): Promise<{ default: ComponentType }> =>
  import("./toaster").then(
    (module) => ({ default: module.Toaster }),
    // Without a connection. What a toast says can also be read on the page.
    () => ({ default: () => null }),
  );
const Toaster = lazy(load);

/** Loads the toaster after the page, and shows it with the first toast. */
export function ToasterOnDemand() {
  const shown = useStore(shownToast) !== null;
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
