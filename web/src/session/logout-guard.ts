/** Answers whether logging out may go on. */
export type LogoutGuard = () => boolean | Promise<boolean>;

const guards = new Set<LogoutGuard>();

/** Lets a feature ask the person first, e.g. while something is not sent yet. Answers how to withdraw it. */
export function registerLogoutGuard(guard: LogoutGuard): () => void {
  guards.add(guard);
  return () => guards.delete(guard);
}

/** Asks one guard after the other; the first no ends it. */
export async function mayLogout(): Promise<boolean> {
  for (const guard of guards) if (!(await guard())) return false;
  return true;
}
