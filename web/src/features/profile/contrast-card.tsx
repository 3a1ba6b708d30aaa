import { useTranslation } from "react-i18next";
import { Card } from "#/shared/ui/card";
import { ContrastChoiceRow } from "#/shared/ui/contrast-choice";

export function ContrastCard() {
  const { t } = useTranslation();
  return (
    <Card title={t("profile.contrast.title")} description={t("profile.contrast.text")}>
      <ContrastChoiceRow hideLabel />
    </Card>
  );
}
