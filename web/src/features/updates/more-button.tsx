import { useTranslation } from "react-i18next";
import { Button } from "#/shared/ui/button";
import type { UpdatesQuery } from "./queries";

/** The next page under a list; nothing at its end. */
export function MoreButton({ query }: { query: UpdatesQuery }) {
  const { t } = useTranslation();
  if (!query.hasNextPage) return null;
  return (
    <div className="border-t border-line p-4">
      <Button
        wide
        onClick={() => void query.fetchNextPage()}
        pending={query.isFetchingNextPage}
        pendingLabel={t("updates.queue.loadingMore")}
      >
        {t("updates.queue.more")}
      </Button>
    </div>
  );
}
