import { clsx } from "clsx";
import { CircleCheck } from "lucide-react";
import { useTranslation } from "react-i18next";
import type { Outbox } from "../send/outbox";
import { useOutboxState } from "../send/outbox-state";

/** Shown when nothing is unsent. Otherwise the bar below the header shows the number. */
export function SentLine({ outbox }: { outbox: Outbox }) {
  const { t } = useTranslation();
  const { entries, resting, unreadable, listed } = useOutboxState(outbox);
  if (!listed || resting.length > 0 || unreadable > 0) return null;
  // Hidden, not removed, during a send, to avoid a layout shift.
  const hidden = entries.length > 0;
  return (
    <p
      className={clsx(
        "flex items-center justify-center gap-2 text-sm text-muted",
        hidden && "invisible",
      )}
    >
      <CircleCheck aria-hidden className="size-4" />
      {t("operator.outbox.allSent")}
    </p>
  );
}
