/** What a role may do. The gateway decides; this only shapes the screens. */
export type Role = "owner" | "manager" | "operator" | "support";
export type Audience = "guest" | "operator" | "manager" | "staff";

interface Person {
  role: Role;
}

/** The group of screens of a role: owners and managers share theirs. */
export function audienceOf(person: Person | null): Audience {
  switch (person?.role) {
    case undefined:
      return "guest";
    case "operator":
      return "operator";
    case "support":
      return "staff";
    case "owner":
    case "manager":
      return "manager";
  }
}

/** The log records what owner and managers did, so only the owner may read it. */
export function mayReadAuditLog(person: Person | null): boolean {
  return person?.role === "owner";
}

/** Moving the sandbox's clock can't be undone, so only the owner may. */
export function mayMoveClock(person: Person | null): boolean {
  return person?.role === "owner";
}

/** Only the owner may cancel; managers may change everything else. */
export function mayCancelSubscription(person: Person | null): boolean {
  return person?.role === "owner";
}
