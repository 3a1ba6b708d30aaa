import { Monitor, Moon, Sun, SunMoon, type LucideIcon } from "lucide-react";
import { useTranslation } from "react-i18next";
import { Button } from "#/shared/ui/button";
import { Menu, MenuChoice } from "#/shared/ui/menu";
import { Segmented } from "#/shared/ui/segmented";
import { setTheme, useTheme, type ThemeChoice } from "./theme";

const icons: Record<ThemeChoice, LucideIcon> = { light: Sun, dark: Moon, system: Monitor };

function useThemeOptions() {
  const { t } = useTranslation();
  return [
    { value: "light", label: t("shell.theme.light") },
    { value: "dark", label: t("shell.theme.dark") },
    { value: "system", label: t("shell.theme.system") },
  ] as const;
}

export function ThemeMenu() {
  const { t } = useTranslation();
  const options = useThemeOptions().map((option) => {
    const Icon = icons[option.value];
    return { ...option, icon: <Icon aria-hidden className="size-4 text-muted" /> };
  });
  return (
    <Menu
      trigger={
        <Button variant="quiet" icon aria-label={t("shell.theme.label")}>
          <SunMoon aria-hidden className="size-5" />
        </Button>
      }
    >
      <MenuChoice
        label={t("shell.theme.label")}
        value={useTheme()}
        options={options}
        onChange={setTheme}
      />
    </Menu>
  );
}

/** The same choice laid out, for the slide-in menu. */
export function ThemeChoiceRow() {
  const { t } = useTranslation();
  return (
    <Segmented
      label={t("shell.theme.label")}
      value={useTheme()}
      options={useThemeOptions()}
      onChange={setTheme}
    />
  );
}
