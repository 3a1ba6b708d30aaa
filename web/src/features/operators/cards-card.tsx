import { useTranslation } from "react-i18next";
import { Card } from "#/shared/ui/card";

export function CardsCard() {
  const { t } = useTranslation();
  return (
    <Card title={t("operators.cards.about")}>
      <ul className="list-disc space-y-1.5 pl-5 marker:text-muted">
        <li>{t("operators.cards.aboutWhat")}</li>
        <li>{t("operators.cards.aboutPaper")}</li>
        <li>{t("operators.cards.aboutSafe")}</li>
      </ul>
    </Card>
  );
}
