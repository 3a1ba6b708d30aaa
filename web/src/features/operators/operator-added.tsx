import { CircleCheck, Printer } from "lucide-react";
import { useTranslation } from "react-i18next";
import type { Employee } from "#/api/gen/hourmeter/accounts/v1/accounts_pb";
import { Button } from "#/shared/ui/button";
import { Dialog } from "#/shared/ui/dialog";
import { Notice } from "#/shared/ui/notice";
import { CopyUsername } from "./copy-username";
import { fullName } from "./queries";

export function OperatorAdded({
  operator,
  passwordSet,
  onPrint,
  onClose,
}: {
  operator: Employee;
  passwordSet: boolean;
  onPrint: () => void;
  onClose: () => void;
}) {
  const { t } = useTranslation();
  const username = operator.operatorUsername ?? "";
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={
        <span className="flex items-center gap-2">
          <CircleCheck aria-hidden className="size-5 shrink-0 text-accent" />
          {t("operators.form.added")}
        </span>
      }
      description={
        passwordSet
          ? t("operators.form.addedFor", { name: fullName(operator) })
          : fullName(operator)
      }
      footer={
        <>
          {passwordSet && (
            <Button onClick={onPrint}>
              <Printer aria-hidden className="size-4" />
              {t("operators.form.printCard")}
            </Button>
          )}
          <Button data-first variant="primary" onClick={onClose}>
            {t("operators.form.finish")}
          </Button>
        </>
      }
    >
      <div className="space-y-4">
        <div className="flex flex-col gap-3 rounded-card border border-line bg-sunken px-4 py-3 sm:flex-row sm:items-center sm:justify-between">
          <div className="min-w-0">
            <p className="text-sm text-muted">{t("operators.columns.username")}</p>
            <p className="font-mono text-title break-all">{username}</p>
          </div>
          <CopyUsername username={username} labelled />
        </div>
        <p>{t("operators.form.addedText", { username })}</p>
        {!passwordSet && <Notice>{t("operators.form.passwordMissing")}</Notice>}
      </div>
    </Dialog>
  );
}
