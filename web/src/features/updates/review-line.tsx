import { Link } from "@tanstack/react-router";
import { ArrowRight, Inbox } from "lucide-react";
import { useTranslation } from "react-i18next";
import { Button } from "#/shared/ui/button";
import { usePendingCount } from "./pending";

/** A line on the dashboard that links to waiting updates. */
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
      <Button asChild size="small">
        <Link to="/review">
          {t("updates.queue.open")}
          <ArrowRight aria-hidden className="size-4" />
        </Link>
      </Button>
    </div>
  );
}
