import { Suspense, useEffect, useState } from "react";
import { lazyPart } from "../lazy-part";
import { useStore } from "../store";
import { shownToast } from "./store";

const load = () => import("./toaster").then((module) => module.Toaster);
const Toaster = lazyPart(load);

/** Loads the toaster after the page, and shows it with the first toast. */
export function ToasterOnDemand() {
  const shown = useStore(shownToast) !== null;
  const [wanted, setWanted] = useState(false);
  if (shown && !wanted) setWanted(true);
  useEffect(() => void load().catch(() => undefined), []);
  return (
    wanted && (
      <Suspense>
        <Toaster />
      </Suspense>
    )
  );
}
