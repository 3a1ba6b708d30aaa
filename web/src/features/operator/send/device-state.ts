import { useEffect, useSyncExternalStore } from "react";
import { useUnsentOnDevice, type UnsentOfPerson } from "#/device/unsent";
import { useSession } from "#/session/session";
import { createStore, useStore } from "#/shared/store";

export interface Device {
  /** Whether the browser promised not to clear the storage of this origin under storage pressure. */
  persistent: boolean | "unsupported";
  /** Unsent entries of other users of this device. */
  others: readonly UnsentOfPerson[];
  /** Whether the page runs as an installed app. */
  installed: boolean;
}

type Persistent = Device["persistent"];

const storage = () => (typeof navigator.storage?.persist === "function" ? navigator.storage : null);

const persistent = createStore<Persistent>(storage() ? false : "unsupported");
let wasRead = false;
let wasRequested = false;

/** Runs once per page and only when there is data to keep, because some browsers prompt the user. */
export async function askToPersist(): Promise<void> {
  const manager = storage();
  if (!manager || wasRequested || persistent.get() === true) return;
  wasRequested = true;
  try {
    persistent.set((await manager.persisted()) || (await manager.persist()));
  } catch {
    // A failure leaves the storage marked as not persistent.
  }
}

async function readPersistence(): Promise<void> {
  const manager = storage();
  if (!manager || wasRead) return;
  wasRead = true;
  try {
    persistent.set(await manager.persisted());
  } catch {
    // A failure leaves the storage marked as not persistent.
  }
}

const standalone = "(display-mode: standalone)";

function subscribeToMode(listener: () => void): () => void {
  const query = window.matchMedia(standalone);
  query.addEventListener("change", listener);
  return () => query.removeEventListener("change", listener);
}

/** Safari on iOS has its own property. */
const isInstalled = () =>
  window.matchMedia(standalone).matches ||
  ("standalone" in navigator && navigator.standalone === true);

/** How durable the storage of this device is, and whose unsent entries it holds. */
export function useDevice(): Device {
  const userId = useSession()?.id;
  const unsent = useUnsentOnDevice();
  useEffect(() => void readPersistence(), []);
  return {
    persistent: useStore(persistent),
    others: unsent.filter((each) => each.userId !== userId),
    installed: useSyncExternalStore(subscribeToMode, isInstalled),
  };
}
