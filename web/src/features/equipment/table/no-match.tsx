import { SearchX } from "lucide-react";
import { useTranslation } from "react-i18next";
import { Button } from "#/shared/ui/button";
import { Empty } from "#/shared/ui/empty";

/** Where a search or a filter finds nothing, with the way out of it. */
export function NoMatch({ onClear }: { onClear: () => void }) {
  const { t } = useTranslation();
  return (
    <Empty
      icon={<SearchX aria-hidden />}
      title={t("equipment.overview.noMatchTitle")}
      description={t("equipment.overview.noMatchText")}
      action={<Button onClick={onClear}>{t("equipment.overview.clearFilters")}</Button>}
    />
  );
}
