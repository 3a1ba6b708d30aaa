import i18next from "i18next";
import { readEnrolment } from "#/device/enrolment";
import { personName } from "#/domain/person";
import { toast } from "#/shared/toast/store";
import { createOutbox } from "./outbox";
import { atServerTime, deviceParts } from "./outbox-parts";
import { sendByDevice } from "./send-by-device";

/**
 * Sends the entries of this phone's people, except those of the signed-in user, whose page sends
 * them. Returns a function that stops it.
 */
export function sendForPeople(signedIn: string | null): () => void {
  const started = startOthers(signedIn);
  return () => void started.then((stops) => stops.forEach((stop) => stop()));
}

async function startOthers(signedIn: string | null): Promise<Array<() => void>> {
  const device = await readEnrolment();
  const others = device?.people.filter(({ user }) => user.id !== signedIn) ?? [];
  return others.map(({ user }) => {
    const userId = user.id;
    const blocked = { kind: "blocked", by: "session", retryAfter: null } as const;
    return createOutbox({
      ...deviceParts({ userId, username: null, name: null }),
      send: atServerTime(async (entry) => (await sendByDevice(entry, userId)) ?? blocked),
      onSettled: (_, { kind }) => {
        const name = personName({ ...user, email: null });
        if (kind === "sent") toast.success(i18next.t("phone.sentFor", { name }));
      },
    }).start();
  });
}
