import { useTranslation } from "react-i18next";
import { Card } from "#/shared/ui/card";

export function UsernamesCard() {
  const { t } = useTranslation();
  return (
    <Card title={t("operators.usernames.title")}>
      <ul className="list-disc space-y-1.5 pl-5 marker:text-muted">
        <li>{t("operators.usernames.generated")}</li>
        <li>{t("operators.usernames.login")}</li>
        <li>{t("operators.usernames.unique")}</li>
        <li>{t("operators.usernames.caseSensitive")}</li>
      </ul>
    </Card>
  );
}
