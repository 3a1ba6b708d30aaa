import { useEffect, useState } from "react";
import { countEntries, type UnsentOnDevice } from "./entries";

export type { UnsentOnDevice } from "./entries";

const none: readonly UnsentOnDevice[] = [];

/** The unsent entries on this device by user; updated when the page becomes visible. */
export function useUnsentOnDevice(): readonly UnsentOnDevice[] {
  const [unsent, setUnsent] = useState(none);
  useEffect(() => {
    let mounted = true;
    const update = async () => {
      if (document.visibilityState !== "visible") return;
      // Without storage there are no entries.
      const found = await countEntries().catch(() => none);
      if (mounted) setUnsent(found);
    };
    void update();
    const listener = () => void update();
    document.addEventListener("visibilitychange", listener);
    return () => {
      mounted = false;
      document.removeEventListener("visibilitychange", listener);
    };
  }, []);
  return unsent;
}
