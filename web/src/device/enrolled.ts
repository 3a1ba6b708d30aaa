import * as v from "valibot";
import { readCached } from "./database";

export const enrolmentKey = "enrolment";

const schema = v.object({
  people: v.array(
    v.object({
      user: v.object({ id: v.string() }),
      ended: v.optional(v.boolean(), false),
      refused: v.optional(v.boolean(), false),
    }),
  ),
});

async function readPeople() {
  const stored = v.safeParse(schema, await readCached(enrolmentKey));
  return stored.success ? stored.output.people : [];
}

/** Ids of the operators who can sign in on this phone by PIN. */
export const enrolledIds = async (): Promise<readonly string[]> =>
  (await readPeople()).flatMap(({ user, ended }) => (ended ? [] : user.id));

/** Ids of the people whose entries this phone sends without a session, also of removed ones. */
export const senderIds = async (): Promise<readonly string[]> =>
  (await readPeople()).flatMap(({ user, refused }) => (refused ? [] : user.id));

/** Whether this phone has a key, also one that a manager has removed. */
export const isEnrolled = async (): Promise<boolean> => (await readPeople()).length > 0;
