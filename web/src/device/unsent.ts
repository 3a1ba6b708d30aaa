import { useEffect, useState } from "react";
import { senderIds } from "./enrolled";
import { countEntries, onEntriesChanged, type UnsentOnDevice } from "./entries";

export interface UnsentOfPerson extends UnsentOnDevice {
  /** This phone sends them without a sign-in. */
  isEnrolled: boolean;
}

const none: readonly UnsentOfPerson[] = [];

async function readUnsent(): Promise<readonly UnsentOfPerson[]> {
  const [unsent, senders] = await Promise.all([countEntries(), senderIds()]);
  return unsent.map((each) => ({ ...each, isEnrolled: senders.includes(each.userId) }));
}

/** The unsent entries on this device by user; updated when the page becomes visible. */
export function useUnsentOnDevice(): readonly UnsentOfPerson[] {
  const [unsent, setUnsent] = useState(none);
  useEffect(() => {
    let mounted = true;
    const update = async () => {
      if (document.visibilityState !== "visible") return;
      // Without storage there are no entries.
      const found = await readUnsent().catch(() => none);
      if (mounted) setUnsent(found);
    };
    void update();
    const listener = () => void update();
    const stop = onEntriesChanged(listener);
    document.addEventListener("visibilitychange", listener);
    return () => {
      mounted = false;
      stop();
      document.removeEventListener("visibilitychange", listener);
    };
  }, []);
  return unsent;
}
