import { EyeOff } from "lucide-react";
import { useEffect, useId, useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "#/shared/ui/button";
import { Dialog } from "#/shared/ui/dialog";
import { Notice } from "#/shared/ui/notice";

const shownMs = 30_000;

/**
 * Shows the password until it is closed, for half a minute at most, and while the page is visible.
 */
export function RevealedDialog({
  name,
  password,
  onClose,
}: {
  name: string;
  password: string | null;
  onClose: () => void;
}) {
  const { t } = useTranslation();
  const labelId = useId();
  const [shown, setShown] = useState(password);
  const left = useSecondsLeft(shown !== null, () => setShown(null));
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={t("admin-accounts.reveal.shownTitle", { name })}
      description={password === null ? undefined : t("admin-accounts.reveal.shownText")}
      footer={<Button onClick={onClose}>{t("common.close")}</Button>}
    >
      {password === null ? (
        <Notice>{t("admin-accounts.reveal.none")}</Notice>
      ) : shown === null ? (
        <div role="status" className="flex gap-3">
          <EyeOff aria-hidden className="mt-0.5 size-5 shrink-0 text-muted" />
          <div>
            <p className="font-semibold">{t("admin-accounts.reveal.hidden")}</p>
            <p className="text-muted">{t("admin-accounts.reveal.hiddenText")}</p>
          </div>
        </div>
      ) : (
        <>
          <p className="text-sm font-semibold" id={labelId}>
            {t("admin-accounts.reveal.shown")}
          </p>
          <output
            aria-labelledby={labelId}
            // Monospaced, so that 0 and O, 1 and l differ; spaces are significant.
            className="mt-1.5 block rounded-(--control-radius) border border-control-line bg-sunken px-4 py-3 font-mono text-lg break-all whitespace-pre-wrap select-all"
          >
            {shown}
          </output>
          {/* Not announced every second. */}
          <p className="mt-2 text-sm text-muted">
            {t("admin-accounts.reveal.hides", { count: left })}
          </p>
        </>
      )}
    </Dialog>
  );
}

/** Counts down by the clock, because timers are throttled in the background. */
function useSecondsLeft(running: boolean, onOver: () => void): number {
  const [left, setLeft] = useState(shownMs / 1000);
  const [over] = useState(() => ({ at: Date.now() + shownMs }));
  useEffect(() => {
    if (!running) return;
    const tick = () => {
      const secondsLeft = Math.ceil((over.at - Date.now()) / 1000);
      if (secondsLeft > 0) setLeft(secondsLeft);
      else onOver();
    };
    const leave = () => {
      if (document.visibilityState === "hidden") onOver();
    };
    const timer = setInterval(tick, 250);
    document.addEventListener("visibilitychange", leave);
    return () => {
      clearInterval(timer);
      document.removeEventListener("visibilitychange", leave);
    };
  }, [running, over, onOver]);
  return left;
}
