import { Link } from "@tanstack/react-router";
import { useId, useState } from "react";
import { useTranslation } from "react-i18next";
import { useErrorText } from "#/api/error-text";
import type { CompanySettings } from "#/api/gen/hourmeter/accounts/v1/accounts_pb";
import { Button } from "#/shared/ui/button";
import { Card } from "#/shared/ui/card";
import { Notice } from "#/shared/ui/notice";
import { Switch } from "#/shared/ui/toggle";
import { OperatorPasswordDialog } from "./operator-password-dialog";
import { SettingRow } from "./setting-row";
import { useSaveSettings } from "./use-save-settings";

export function OperatorsCard({ settings }: { settings: CompanySettings }) {
  const { t } = useTranslation();
  return (
    <Card
      title={t("shell.titles.operators")}
      actions={
        <Button asChild size="small">
          <Link to="/employees">{t("settings.operators.manage")}</Link>
        </Button>
      }
      flush
    >
      <div className="divide-y divide-line border-t border-line">
        <OperatorPassword settings={settings} />
        <AutoApply on={settings.autoApplyUpdates} />
      </div>
    </Card>
  );
}

function OperatorPassword({ settings }: { settings: CompanySettings }) {
  const { t } = useTranslation();
  const [asking, setAsking] = useState(false);
  const { operatorPasswordSet: isSet, operatorPasswordStale: stale } = settings;
  return (
    <SettingRow
      label={t("operators.settings.operatorPassword")}
      text={isSet ? t("settings.operators.isSet") : t("settings.operators.notSet")}
      control={
        <Button variant={isSet && !stale ? "secondary" : "primary"} onClick={() => setAsking(true)}>
          {isSet ? t("operators.settings.changePassword") : t("operators.empty.setPassword")}
        </Button>
      }
    >
      {isSet && stale && <Notice>{t("operators.settings.stale")}</Notice>}
      {asking && <OperatorPasswordDialog isSet={isSet} onClose={() => setAsking(false)} />}
    </SettingRow>
  );
}

/** Takes effect immediately; reverts after a refusal. */
function AutoApply({ on }: { on: boolean }) {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const id = useId();
  const save = useSaveSettings();
  const shown = save.isPending ? (save.variables.autoApplyUpdates ?? on) : on;
  return (
    <SettingRow
      label={<label htmlFor={id}>{t("settings.operators.autoApply")}</label>}
      text={shown ? t("settings.operators.autoApplyOn") : t("settings.operators.autoApplyOff")}
      textId={`${id}-text`}
      control={
        <Switch
          id={id}
          aria-describedby={`${id}-text`}
          aria-busy={save.isPending || undefined}
          checked={shown}
          onChange={(event) => {
            if (!save.isPending) save.mutate({ autoApplyUpdates: event.target.checked });
          }}
        />
      }
    >
      {save.error && <Notice tone="danger">{errorText(save.error)}</Notice>}
    </SettingRow>
  );
}
