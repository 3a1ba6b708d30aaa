import { useEffect } from "react";
import { onDemand, useIsLoaded } from "../on-demand";
import { useStore } from "../store";
import { shownToast } from "./store";

const toaster = onDemand<object>(() => import("./toaster").then((module) => module.Toaster));

/** Loads the toaster with the first toast. */
export function ToasterOnDemand() {
  const isShown = useStore(shownToast) !== null;
  const isLoaded = useIsLoaded(toaster);
  useEffect(() => {
    // Without a connection, the page shows the same message.
    if (isShown) toaster.load().catch(() => undefined);
  }, [isShown]);
  return isLoaded && <toaster.Component />;
}
