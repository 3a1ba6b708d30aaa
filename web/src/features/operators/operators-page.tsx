import { useTransport } from "@connectrpc/connect-query";
import { useQuery } from "@tanstack/react-query";
import { Settings, UserPlus } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { companySettingsQuery } from "#/api/company-settings";
import type { Employee } from "#/api/gen/hourmeter/accounts/v1/accounts_pb";
import { Button } from "#/shared/ui/button";
import { PageHeader } from "#/shared/ui/page-header";
import { OperatorDialog } from "./operator-dialog";
import { OperatorsCard } from "./operators-card";
import { RemoveOperator } from "./remove-operator";
import { SettingsCard } from "./settings-card";
import { SettingsDialog } from "./settings-dialog";
import { UsernamesCard } from "./usernames-card";

type Asked =
  | { dialog: "add" }
  | { dialog: "settings" }
  | { dialog: "edit" | "remove"; operator: Employee };

/** Operator Management: who may sign in from the field, and the password they share. */
export function OperatorsPage() {
  const { t } = useTranslation();
  const settings = useQuery(companySettingsQuery(useTransport()));
  const [asked, setAsked] = useState<Asked | null>(null);
  const close = () => setAsked(null);
  const openSettings = () => setAsked({ dialog: "settings" });
  const company = settings.data?.settings;
  return (
    <>
      <PageHeader
        title={t("operators.title")}
        description={t("operators.subtitle")}
        actions={
          <>
            <Button onClick={openSettings}>
              <Settings aria-hidden className="size-4" />
              {t("operators.settings.open")}
            </Button>
            <Button variant="primary" onClick={() => setAsked({ dialog: "add" })}>
              <UserPlus aria-hidden className="size-4" />
              {t("operators.form.add")}
            </Button>
          </>
        }
      />
      <div className="space-y-5">
        <div className="grid gap-5 lg:grid-cols-2">
          <SettingsCard settings={settings} onChange={openSettings} />
          <UsernamesCard />
        </div>
        <OperatorsCard
          passwordSet={company?.operatorPasswordSet ?? true}
          onSetPassword={openSettings}
          onAdd={() => setAsked({ dialog: "add" })}
          onEdit={(operator) => setAsked({ dialog: "edit", operator })}
          onRemove={(operator) => setAsked({ dialog: "remove", operator })}
        />
      </div>
      {asked?.dialog === "settings" && (
        <SettingsDialog companyName={company?.companyName ?? ""} onClose={close} />
      )}
      {asked?.dialog === "add" && (
        <OperatorDialog
          operator={null}
          passwordSet={company?.operatorPasswordSet ?? true}
          onClose={close}
        />
      )}
      {asked?.dialog === "edit" && (
        <OperatorDialog operator={asked.operator} passwordSet onClose={close} />
      )}
      {asked?.dialog === "remove" && <RemoveOperator operator={asked.operator} onClose={close} />}
    </>
  );
}
