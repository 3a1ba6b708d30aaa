import { ArrowDown, Inbox } from "lucide-react";
import { useTranslation } from "react-i18next";
import { Button } from "#/shared/ui/button";
import { usePendingCount } from "./queries";

export const queueId = "review-queue";

/** Says at the top of the page that updates wait, and leads to them. */
export function ReviewLine() {
  const { t } = useTranslation();
  const count = usePendingCount();
  if (!count) return null;
  return (
    <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 rounded-card border border-line bg-accent-soft py-2 pr-2 pl-4">
      <p className="flex min-w-0 items-center gap-2.5 font-semibold">
        <Inbox aria-hidden className="size-4 shrink-0 text-accent" />
        {t("updates.queue.count", { count })}
      </p>
      <Button size="small" onClick={showQueue}>
        {t("updates.queue.review")}
        <ArrowDown aria-hidden className="size-4" />
      </Button>
    </div>
  );
}

/** The focus goes along, so that the next Tab is within the queue. */
function showQueue() {
  const queue = document.getElementById(queueId);
  queue?.scrollIntoView();
  queue?.focus({ preventScroll: true });
}
