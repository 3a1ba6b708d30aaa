/** Returns whether the logout may continue. */
export type LogoutGuard = () => boolean | Promise<boolean>;

const guards = new Set<LogoutGuard>();

/**
 * Registers a check before a logout, e.g. for unsent entries. Returns a function that removes it.
 */
export function registerLogoutGuard(guard: LogoutGuard): () => void {
  guards.add(guard);
  return () => guards.delete(guard);
}

/** Runs the guards in order until one refuses. */
export async function mayLogout(): Promise<boolean> {
  for (const guard of guards) if (!(await guard())) return false;
  return true;
}
