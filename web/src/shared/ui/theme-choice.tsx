import { useTranslation } from "react-i18next";
import { setTheme, useTheme } from "#/shared/theme";
import { Segmented } from "./segmented";

export function useThemeOptions() {
  const { t } = useTranslation();
  return [
    { value: "light", label: t("shell.theme.light") },
    { value: "dark", label: t("shell.theme.dark") },
    { value: "system", label: t("shell.theme.system") },
  ] as const;
}

export function ThemeChoiceRow({ hideLabel = false }: { hideLabel?: boolean }) {
  const { t } = useTranslation();
  return (
    <Segmented
      label={t("shell.theme.label")}
      hideLabel={hideLabel}
      value={useTheme()}
      options={useThemeOptions()}
      onChange={setTheme}
    />
  );
}
