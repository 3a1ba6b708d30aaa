import { clsx } from "clsx";
import { CircleCheck } from "lucide-react";
import { useTranslation } from "react-i18next";
import type { Outbox } from "../send/outbox";
import { useOutboxState } from "../send/use-outbox";

/** Says so when nothing waits; as soon as something does, the bar under the header tells how much. */
export function SentLine({ outbox }: { outbox: Outbox }) {
  const { t } = useTranslation();
  const { entries, resting, unreadable, listed } = useOutboxState(outbox);
  if (!listed || resting.length > 0 || unreadable > 0) return null;
  // While one is on its way the line keeps its place, so that nothing jumps.
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
