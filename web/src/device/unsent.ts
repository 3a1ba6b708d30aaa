import { useEffect, useState } from "react";
import { countEntries, type UnsentOnDevice } from "./entries";

export type { UnsentOnDevice } from "./entries";

const none: readonly UnsentOnDevice[] = [];

/** Whose entries lie on this device and are not sent yet; looked at anew when the page is seen again. */
export function useUnsentOnDevice(): readonly UnsentOnDevice[] {
  const [unsent, setUnsent] = useState(none);
  useEffect(() => {
    let here = true;
    const look = async () => {
      if (document.visibilityState !== "visible") return;
      // Where the browser keeps nothing, nothing lies.
      const found = await countEntries().catch(() => none);
      if (here) setUnsent(found);
    };
    void look();
    const again = () => void look();
    document.addEventListener("visibilitychange", again);
    return () => {
      here = false;
      document.removeEventListener("visibilitychange", again);
    };
  }, []);
  return unsent;
}
