import { useQueryClient, type QueryClient } from "@tanstack/react-query";
import { useSession } from "#/session/session";
import { onForgotten } from "#/device/person";

export interface PersonTools {
  client: QueryClient;
  userId: string;
}

/**
 * One instance for each person on this page, made by the first caller, until that person signs
 * out. `lastsLonger` is what would be lost with it.
 */
export function perPerson<Thing>(
  make: (tools: PersonTools) => Thing,
  lastsLonger: (thing: Thing) => boolean = () => false,
) {
  // By client too, so that work which ends late, for a page that is gone, takes nothing away from
  // the one on screen.
  const made = new Map<string, Map<QueryClient, Thing>>();
  onForgotten((userId) => {
    const things = made.get(userId) ?? [];
    made.set(userId, new Map([...things].filter(([, thing]) => lastsLonger(thing))));
  });
  return (tools: PersonTools): Thing => {
    const { client, userId } = tools;
    const things = made.get(userId) ?? new Map<QueryClient, Thing>();
    made.set(userId, things);
    const known = things.get(client);
    if (known !== undefined) return known;
    const thing = make(tools);
    things.set(client, thing);
    return thing;
  };
}

/** The person whose screen this is. */
export function usePerson(): PersonTools {
  const client = useQueryClient();
  const userId = useSession()?.id ?? "";
  return { client, userId };
}
