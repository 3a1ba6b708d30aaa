import { useTranslation } from "react-i18next";
import { setContrast, useContrast } from "#/shared/contrast";
import { Card } from "#/shared/ui/card";
import { Segmented } from "#/shared/ui/segmented";

export function ContrastCard() {
  const { t } = useTranslation();
  return (
    <Card title={t("profile.contrast.title")} description={t("profile.contrast.text")}>
      <Segmented
        label={t("profile.contrast.title")}
        hideLabel
        value={useContrast()}
        options={[
          { value: "system", label: t("profile.contrast.system") },
          { value: "normal", label: t("profile.contrast.normal") },
          { value: "high", label: t("profile.contrast.high") },
        ]}
        onChange={setContrast}
      />
    </Card>
  );
}
