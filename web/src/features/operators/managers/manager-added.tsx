import { CircleCheck, Copy } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "#/shared/ui/button";
import { Dialog } from "#/shared/ui/dialog";
import { Notice } from "#/shared/ui/notice";
import { useCopy } from "#/shared/use-copy";

/** Shows the temporary password once. Closing without copying it needs a second press. */
export function ManagerAdded({
  name,
  email,
  temporaryPassword,
  onClose,
}: {
  name: string;
  email: string;
  temporaryPassword: string;
  onClose: () => void;
}) {
  const { t } = useTranslation();
  const copy = useCopy();
  const [copied, setCopied] = useState(false);
  const [warned, setWarned] = useState(false);
  const leave = () => {
    if (copied || warned) onClose();
    else setWarned(true);
  };
  const copyPassword = async () => {
    const done = t("operators.managers.copied");
    if (await copy(temporaryPassword, done, t("operators.managers.copiedText"))) setCopied(true);
  };
  return (
    <Dialog
      open
      onOpenChange={leave}
      title={
        <span className="flex items-center gap-2">
          <CircleCheck aria-hidden className="size-5 shrink-0 text-accent" />
          {t("operators.managers.added")}
        </span>
      }
      description={t("operators.managers.signIn", { name })}
      footer={
        <Button variant="primary" onClick={onClose}>
          {t("operators.managers.finish")}
        </Button>
      }
    >
      <div className="space-y-4">
        <dl className="divide-y divide-line rounded-card border border-line bg-sunken px-4">
          <div className="py-3">
            <dt className="text-sm text-muted">{t("operators.managers.email")}</dt>
            <dd className="font-semibold break-all">{email}</dd>
          </div>
          <div className="py-3">
            <dt className="text-sm text-muted">{t("operators.managers.temporary")}</dt>
            <dd className="flex flex-col gap-3 sm:flex-row sm:items-center sm:justify-between">
              <span className="min-w-0 font-mono text-title break-all">{temporaryPassword}</span>
              <Button onClick={() => void copyPassword()}>
                <Copy aria-hidden className="size-4" />
                {t("operators.managers.copy")}
              </Button>
            </dd>
          </div>
        </dl>
        <Notice>{t("operators.managers.once")}</Notice>
        {warned && !copied && <Notice tone="danger">{t("operators.managers.notCopied")}</Notice>}
      </div>
    </Dialog>
  );
}
