const storageKey = "reloadedForCode";
const intervalMs = 60_000;

const lastReload = () => Number(sessionStorage.getItem(storageKey));

/**
 * Reloads the page after its code could not be loaded: after a release the files of an open page no
 * longer exist. Does nothing if the server does not answer, because a reload would lose the page, or
 * if the page was reloaded less than a minute ago.
 */
export async function reloadForRelease(reload: () => void): Promise<void> {
  if (Date.now() - lastReload() < intervalMs) return;
  const answer = await fetch(window.location.href, { method: "HEAD", cache: "no-store" }).catch(
    () => null,
  );
  // Several files may fail at once.
  if (!answer?.ok || Date.now() - lastReload() < intervalMs) return;
  sessionStorage.setItem(storageKey, String(Date.now()));
  reload();
}
