import { useTranslation } from "react-i18next";
import { Button } from "#/shared/ui/button";
import type { UpdatePages } from "../queries";

export function MoreButton({ query }: { query: UpdatePages }) {
  const { t } = useTranslation();
  if (!query.hasNextPage) return null;
  return (
    <div className="border-t border-line p-4">
      <Button
        wide
        onClick={() => void query.fetchNextPage()}
        pending={query.isFetchingNextPage}
        pendingLabel={t("review.recent.loadingMore")}
      >
        {t("review.recent.more")}
      </Button>
    </div>
  );
}
