const inThisPage = new Map<string, Promise<unknown>>();

/**
 * Runs `work` while no other tab does. Web Locks exist only on https and localhost; elsewhere the
 * calls of this page wait for one another, and the entry's clientId keeps a second tab harmless.
 */
export async function withSendLock(name: string, work: () => Promise<void>): Promise<void> {
  if ("locks" in navigator) {
    await navigator.locks.request(name, work);
    return;
  }
  const turn = (inThisPage.get(name) ?? Promise.resolve()).then(work, work);
  inThisPage.set(name, turn);
  await turn;
}
