import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { CompanySettings } from "#/api/gen/hourmeter/accounts/v1/accounts_pb";
import { Button } from "#/shared/ui/button";
import { Card } from "#/shared/ui/card";
import { Notice } from "#/shared/ui/notice";
import { OperatorPasswordDialog } from "./operator-password-dialog";
import { SettingRow } from "./setting-row";
import { SettingSwitch } from "./setting-switch";

export function OperatorsCard({ settings }: { settings: CompanySettings }) {
  const { t } = useTranslation();
  return (
    <Card
      id="operators"
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
        <SettingSwitch
          label={t("settings.operators.autoApply")}
          name="autoApplyUpdates"
          on={settings.autoApplyUpdates}
          texts={{
            on: t("settings.operators.autoApplyOn"),
            off: t("settings.operators.autoApplyOff"),
          }}
        />
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
