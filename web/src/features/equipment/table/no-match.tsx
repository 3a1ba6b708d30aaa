import { SearchX } from "lucide-react";
import { useTranslation } from "react-i18next";
import { Button } from "#/shared/ui/button";
import { Empty } from "#/shared/ui/empty";

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
