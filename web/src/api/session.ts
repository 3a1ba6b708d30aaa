import { queryOptions, useQuery, type QueryClient } from "@tanstack/react-query";
import * as v from "valibot";
import { RestError } from "./failure";
import { rest, restVoid } from "./rest";

export const userSchema = v.object({
  id: v.string(),
  companyId: v.nullable(v.string()),
  firstName: v.nullable(v.string()),
  lastName: v.nullable(v.string()),
  email: v.nullable(v.string()),
  role: v.picklist(["owner", "manager", "operator", "support"]),
  businessName: v.nullable(v.string()),
  operatorUsername: v.nullable(v.string()),
  securityQuestionsSet: v.boolean(),
});

export type User = v.InferOutput<typeof userSchema>;

/** Who is signed in; null for a visitor. */
export const sessionQuery = queryOptions({
  queryKey: ["session"],
  queryFn: async ({ signal }): Promise<User | null> => {
    try {
      return await rest("GET", "/api/auth/user", userSchema, { signal });
    } catch (error) {
      if (error instanceof RestError && error.status === 401) return null;
      throw error;
    }
  },
  staleTime: 30_000,
  gcTime: 60_000,
});

export function useSession(): User | null {
  return useQuery(sessionQuery).data ?? null;
}

/**
 * Makes `user` the person signed in. All cached data goes first: nothing of one company may
 * outlive its login.
 */
export function changeSession(client: QueryClient, user: User | null): void {
  client.removeQueries({ predicate: (query) => query.queryKey[0] !== sessionQuery.queryKey[0] });
  client.setQueryData(sessionQuery.queryKey, user);
}

/** Both documented calls; a failure of either must not keep anyone signed in on this device. */
export async function endServerSession(): Promise<void> {
  for (const call of [
    () => restVoid("POST", "/api/auth/logout"),
    () => restVoid("GET", "/api/logout"),
  ]) {
    try {
      await call();
    } catch (error) {
      console.warn("Logout call failed", error);
    }
  }
}
