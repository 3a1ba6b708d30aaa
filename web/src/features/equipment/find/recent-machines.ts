import { getSession } from "#/session/state";

const most = 6;

// Ids only, per user: names belong to the company and are read from the server.
const storageKey = () => `recentMachines:${getSession().user?.id ?? ""}`;

/** Ids of the machines that this user opened last in this browser, the last one first. */
export function recentMachineIds(): string[] {
  return (localStorage.getItem(storageKey()) ?? "").split(" ").filter(Boolean);
}

export function rememberMachine(id: string): void {
  const ids = [id, ...recentMachineIds().filter((other) => other !== id)];
  localStorage.setItem(storageKey(), ids.slice(0, most).join(" "));
}
