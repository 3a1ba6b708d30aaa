import { useTranslation } from "react-i18next";
import type { CompanySettings } from "#/api/gen/hourmeter/accounts/v1/accounts_pb";
import { Card } from "#/shared/ui/card";
import { SettingSwitch } from "./setting-switch";

export function EquipmentCard({ settings }: { settings: CompanySettings }) {
  const { t } = useTranslation();
  return (
    <Card id="equipment" title={t("settings.equipment.title")} flush>
      <div className="border-t border-line">
        <SettingSwitch
          label={t("settings.equipment.earlierWarnings")}
          name="earlierWarnings"
          on={settings.earlierWarnings}
          texts={{ on: t("settings.equipment.earlierOn"), off: t("settings.equipment.earlierOff") }}
        />
      </div>
    </Card>
  );
}
