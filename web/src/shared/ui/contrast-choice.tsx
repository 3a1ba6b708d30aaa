import { useTranslation } from "react-i18next";
import { setContrast, useContrast } from "#/shared/contrast";
import { Segmented } from "./segmented";

export function ContrastChoiceRow({ hideLabel = false }: { hideLabel?: boolean }) {
  const { t } = useTranslation();
  return (
    <Segmented
      label={t("profile.contrast.title")}
      hideLabel={hideLabel}
      value={useContrast()}
      options={[
        { value: "system", label: t("profile.contrast.system") },
        { value: "normal", label: t("profile.contrast.normal") },
        { value: "high", label: t("profile.contrast.high") },
      ]}
      onChange={setContrast}
    />
  );
}
