import { Role, Scope, type User } from "#/api/gen/hourmeter/accounts/v1/accounts_pb";
import { personName } from "#/domain/person";
import type * as permissions from "#/domain/permissions";
import type { ProfileRules } from "./schema";

export function roleWord(role: Role): permissions.Role {
  switch (role) {
    case Role.OWNER:
      return "owner";
    case Role.MANAGER:
      return "manager";
    case Role.SUPPORT:
      return "support";
    case Role.OPERATOR:
    default:
      return "operator";
  }
}

/**
 * Everyone who knows the operator password can open a session by the business name, so such a
 * session neither shows nor changes anything of the owner.
 */
export function isSharedSession(user: User): boolean {
  return user.scope === Scope.OPERATOR && user.operatorUsername === undefined;
}

export function rulesOf(user: User): ProfileRules {
  const role = roleWord(user.role);
  const manages = user.scope === Scope.FULL && (role === "owner" || role === "manager");
  return { manages, needsName: role !== "owner" };
}

export function nameOf(user: User): string {
  const { operatorUsername = null, email = null } = user;
  return personName({ ...user, role: roleWord(user.role), operatorUsername, email });
}
