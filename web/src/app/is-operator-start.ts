import { audienceOf } from "#/domain/permissions";
import type { User } from "#/session/session";
import { isHome } from "./load-home";

/** Whether the operator page is shown to `user` at `path`. */
export const isOperatorStart = (user: User | null, path: string): boolean =>
  audienceOf(user) === "operator" && isHome(path, "operator");
