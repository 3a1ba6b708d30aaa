import { useTranslation } from "react-i18next";
import { Skeleton, SkeletonRows } from "#/shared/ui/skeleton";

/** Shown while a page's data load; pages with their own layout have their own. */
export function PagePending() {
  const { t } = useTranslation();
  return (
    <div>
      <Skeleton className="mb-6 h-8 w-56" />
      <div className="rounded-card border border-line bg-raised">
        <SkeletonRows label={t("common.loading")} />
      </div>
    </div>
  );
}
