import { useEffect, useSyncExternalStore } from "react";
import { useUnsentOnDevice, type UnsentOnDevice } from "#/device/unsent";
import { useSession } from "#/session/session";
import { createStore, useStore } from "#/shared/store";

export interface Device {
  /** Whether the browser promised not to clear what lies here when it is short of space. */
  persistent: boolean | "unsupported";
  /** Entries of other people that wait here until they sign in again. */
  others: readonly UnsentOnDevice[];
  /** Whether the page runs as an app of its own. */
  installed: boolean;
}

type Persistent = Device["persistent"];

const storage = () => (typeof navigator.storage?.persist === "function" ? navigator.storage : null);

const persistent = createStore<Persistent>(storage() ? false : "unsupported");
let looked = false;
let asked = false;

/** Asked once a page, when there is something worth keeping: some browsers put it to the person. */
export async function askToPersist(): Promise<void> {
  const manager = storage();
  if (!manager || asked || persistent.get() === true) return;
  asked = true;
  try {
    persistent.set((await manager.persisted()) || (await manager.persist()));
  } catch {
    // A browser that can't say has not promised it.
  }
}

async function look(): Promise<void> {
  const manager = storage();
  if (!manager || looked) return;
  looked = true;
  try {
    persistent.set(await manager.persisted());
  } catch {
    // A browser that can't say has not promised it.
  }
}

const standalone = "(display-mode: standalone)";

function subscribeToMode(listener: () => void): () => void {
  const query = window.matchMedia(standalone);
  query.addEventListener("change", listener);
  return () => query.removeEventListener("change", listener);
}

/** Safari on an iPhone says it in a way of its own. */
const isInstalled = () =>
  window.matchMedia(standalone).matches ||
  ("standalone" in navigator && navigator.standalone === true);

/** How safe this device keeps what is not sent yet, and whose it is. */
export function useDevice(): Device {
  const userId = useSession()?.id;
  const unsent = useUnsentOnDevice();
  useEffect(() => void look(), []);
  return {
    persistent: useStore(persistent),
    others: unsent.filter((each) => each.userId !== userId),
    installed: useSyncExternalStore(subscribeToMode, isInstalled),
  };
}
