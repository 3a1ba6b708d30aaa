/** In local storage: the id of the person who turned notifications on in this browser. */
export const pushPersonKey = "push-person";

/** This browser's subscriptions, at most one. Rejects in a browser without service workers. */
export async function pushSubscriptions(): Promise<PushSubscription[]> {
  const workers = await navigator.serviceWorker.getRegistrations();
  const found = await Promise.all(workers.map((worker) => worker.pushManager.getSubscription()));
  return found.filter((subscription) => subscription !== null);
}

/** Ends them without the server. */
export async function unsubscribePush(): Promise<void> {
  for (const subscription of await pushSubscriptions()) await subscription.unsubscribe();
}
