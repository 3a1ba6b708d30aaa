const storageKey = "reloadedForCode";
const intervalMs = 60_000;

const lastReload = () => Number(sessionStorage.getItem(storageKey));

/**
 * Reloads the page after its code could not be loaded, if the server has another release: the files
 * of an open page no longer exist then. A failure of the connection keeps the page, because its
 * content would be lost. At most one reload a minute. `entry` is the address of the first script.
 */
export async function reloadForRelease(entry: string, reload: () => void): Promise<void> {
  if (Date.now() - lastReload() < intervalMs) return;
  const page = await newestPage();
  const isSameRelease = page?.includes(new URL(entry).pathname) ?? true;
  // Several files may fail at once.
  if (isSameRelease || Date.now() - lastReload() < intervalMs) return;
  sessionStorage.setItem(storageKey, String(Date.now()));
  reload();
}

async function newestPage(): Promise<string | undefined> {
  try {
    const answer = await fetch(window.location.href, { cache: "no-store" });
    return answer.ok ? await answer.text() : undefined;
  } catch {
    return undefined;
  }
}
