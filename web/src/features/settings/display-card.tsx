import { useId, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { currentLanguage } from "#/i18n";
import { useChooseLanguage } from "#/session/choose-language";
import { setPulseAlerts, usePulseAlerts } from "#/shared/pulse-alerts";
import { Card } from "#/shared/ui/card";
import { ContrastChoiceRow } from "#/shared/ui/contrast-choice";
import { Segmented } from "#/shared/ui/segmented";
import { ThemeChoiceRow } from "#/shared/ui/theme-choice";
import { Switch } from "#/shared/ui/toggle";
import { SettingRow } from "./setting-row";

/** Display settings of this device; each choice takes effect immediately. */
export function DisplayCard() {
  const { t } = useTranslation();
  const pulseId = useId();
  return (
    <Card
      id="display"
      title={t("settings.display.title")}
      description={t("settings.display.text")}
      flush
    >
      <div className="divide-y divide-line border-t border-line">
        <Choice label={t("shell.language")}>
          <Segmented
            label={t("shell.language")}
            hideLabel
            value={currentLanguage()}
            options={[
              { value: "en", label: <span lang="en">English</span> },
              { value: "es", label: <span lang="es">Español</span> },
            ]}
            onChange={useChooseLanguage()}
          />
        </Choice>
        <Choice label={t("shell.theme.label")}>
          <ThemeChoiceRow hideLabel />
        </Choice>
        <Choice label={t("profile.contrast.title")}>
          <ContrastChoiceRow hideLabel />
        </Choice>
        <SettingRow
          label={<label htmlFor={pulseId}>{t("settings.display.pulse")}</label>}
          text={t("settings.display.pulseText")}
          textId={`${pulseId}-text`}
          control={
            <Switch
              id={pulseId}
              aria-describedby={`${pulseId}-text`}
              checked={usePulseAlerts()}
              onChange={(event) => setPulseAlerts(event.target.checked)}
            />
          }
        />
      </div>
    </Card>
  );
}

function Choice({ label, children }: { label: string; children: ReactNode }) {
  return <SettingRow label={<span aria-hidden>{label}</span>} wide control={children} />;
}
