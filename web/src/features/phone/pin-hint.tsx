import { KeyRound } from "lucide-react";
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import * as v from "valibot";
import { readCached, writeCached } from "#/device/database";
import { canEnrol, restoreTries } from "#/device/enrolment";
import { identitySchema } from "#/device/identity";
import { pinOfferKey } from "#/device/pin-offer";
import { useSession } from "#/session/session";
import { useSessionState } from "#/session/state";
import { Button } from "#/shared/ui/button";
import { PinDialog } from "./pin-dialog";
import { useEnrolment } from "./use-enrolment";

const closedKey = (userId: string) => `pin-hint/${userId}`;

/** Offers a PIN once to each operator of this phone; after a sign-in by a card, immediately. */
export function PinHint() {
  const { t } = useTranslation();
  const user = useSession();
  const active = useSessionState(({ status }) => status === "active");
  const device = useEnrolment();
  const [closed, setClosed] = useState(true);
  const [open, setOpen] = useState(() => sessionStorage.getItem(pinOfferKey) !== null);
  const userId = user?.id ?? "";
  const isOwn = device?.people.some((person) => person.user.id === userId && !person.ended);
  useEffect(() => {
    void readCached(closedKey(userId)).then((found) => setClosed(found === true));
  }, [userId]);
  // The operator has signed in with the password.
  useEffect(() => {
    const identity = v.safeParse(identitySchema, user);
    if (active && isOwn && identity.success) void restoreTries(identity.output);
  }, [active, isOwn, user]);
  if (!user || !active || device === undefined || isOwn || closed || !canEnrol()) return null;
  const close = () => {
    setClosed(true);
    void writeCached(closedKey(userId), true);
  };
  const closeDialog = () => {
    sessionStorage.removeItem(pinOfferKey);
    setOpen(false);
  };
  return (
    <section
      aria-label={t("phone.hint.title")}
      className="mt-6 flex gap-3 rounded-card border border-line bg-raised p-4"
    >
      <KeyRound aria-hidden className="mt-0.5 size-5 shrink-0 text-muted" />
      <div className="min-w-0 flex-1">
        <p className="font-semibold">{t("phone.hint.title")}</p>
        <p className="mt-0.5 text-sm text-muted">{t("phone.card.text")}</p>
        <div className="mt-3 flex flex-wrap gap-2">
          <Button onClick={() => setOpen(true)}>{t("phone.card.choose")}</Button>
          <Button variant="quiet" onClick={close}>
            {t("phone.hint.later")}
          </Button>
        </div>
      </div>
      {open && <PinDialog user={user} device={device} onClose={closeDialog} />}
    </section>
  );
}
