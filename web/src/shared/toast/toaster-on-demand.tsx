import { useEffect } from "react";
import { onDemand, useIsLoaded } from "../on-demand";
import { useStore } from "../store";
import { shownToast } from "./store";

const toaster = onDemand<object>(() => import("./toaster").then((module) => module.Toaster));

/** Shows toasts from the first one on. */
export function ToasterOnDemand() {
  const isShown = useStore(shownToast) !== null;
  const isLoaded = useIsLoaded(toaster);
  useEffect(() => {
    // Without a connection: what a toast says can also be read on the page.
    if (isShown) toaster.load().catch(() => undefined);
  }, [isShown]);
  return isLoaded && <toaster.Component />;
}
