import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useErrorText } from "#/api/error-text";
import { canEnrol } from "#/device/enrolment";
import { useSession } from "#/session/session";
import { useSessionState } from "#/session/state";
import { key } from "#/i18n/key";
import { toast } from "#/shared/toast/store";
import { AlertDialog } from "#/shared/ui/alert-dialog";
import { Button } from "#/shared/ui/button";
import { Card } from "#/shared/ui/card";
import { removePin } from "./enrol";
import { PinDialog } from "./pin-dialog";
import { useEnrolment } from "./use-enrolment";

/** Chooses, changes or forgets the PIN for signing in on this phone without signal. */
export function PinCard() {
  const { t } = useTranslation();
  const user = useSession();
  const active = useSessionState(({ status }) => status === "active");
  const device = useEnrolment();
  const [open, setOpen] = useState<"choose" | "forget" | null>(null);
  const forget = useForget(() => setOpen(null));
  if (!user || device === undefined || !canEnrol()) return null;
  const disabledReason = active ? undefined : t("phone.card.signInFirst");
  const own = device?.people.find((person) => person.user.id === user.id && !person.ended);
  return (
    <Card title={t("phone.card.title")}>
      <p>{own ? t("phone.card.chosen", { label: device?.label ?? "" }) : t("phone.card.text")}</p>
      <div className="mt-4 flex flex-wrap gap-2">
        <Button disabledReason={disabledReason} onClick={() => setOpen("choose")}>
          {own ? t("phone.card.change") : t("phone.card.choose")}
        </Button>
        {own && (
          <Button variant="quiet" disabledReason={disabledReason} onClick={() => setOpen("forget")}>
            {t("phone.card.forget")}
          </Button>
        )}
      </div>
      {open === "choose" && <PinDialog user={user} device={device} onClose={() => setOpen(null)} />}
      <AlertDialog
        open={open === "forget"}
        onOpenChange={() => setOpen(null)}
        title={t("phone.forget.title")}
        description={t("phone.forget.text")}
        confirmLabel={t("phone.forget.confirm")}
        pending={forget.pending}
        pendingLabel={t("phone.dialog.pending")}
        onConfirm={() => device && void forget.run(() => removePin(device, user.id))}
      />
    </Card>
  );
}

function useForget(onForgotten: () => void) {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const [pending, setPending] = useState(false);
  const run = async (remove: () => Promise<void>) => {
    setPending(true);
    try {
      await remove();
      onForgotten();
      toast.success(t("phone.forget.done"));
    } catch (error) {
      toast.failure(t("phone.forget.failed"), errorText(error, key("phone.failed")));
    }
    setPending(false);
  };
  return { pending, run };
}
