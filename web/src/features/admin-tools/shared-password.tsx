import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { Employee } from "#/api/gen/hourmeter/accounts/v1/accounts_pb";
import { AlertDialog } from "#/shared/ui/alert-dialog";
import { Button } from "#/shared/ui/button";
import { nameOf } from "./people";
import { useResetPassword } from "./use-reset-password";

/** Returns an operator with a personal password to the shared one. */
export function SharedPassword({ person, onDone }: { person: Employee; onDone: () => void }) {
  const { t } = useTranslation();
  const [open, setOpen] = useState(false);
  const name = nameOf(person);
  const { run, pending } = useResetPassword({
    doneText: () => t("admin-tools.shared.doneText", { name }),
    onDone,
    onRefused: () => setOpen(false),
  });
  return (
    <div className="mt-4 flex flex-wrap items-center justify-between gap-3 border-t border-line pt-4">
      <p className="min-w-0 flex-1 basis-64 text-sm text-muted">
        {t("admin-tools.shared.text", { name })}
      </p>
      <Button onClick={() => setOpen(true)}>{t("admin-tools.shared.open")}</Button>
      <AlertDialog
        open={open}
        onOpenChange={setOpen}
        title={t("admin-tools.shared.title")}
        description={t("admin-tools.shared.question", { name })}
        confirmLabel={t("admin-tools.shared.confirm")}
        pendingLabel={t("admin-tools.pending")}
        pending={pending}
        tone="primary"
        onConfirm={() => run({ userId: person.id })}
      />
    </div>
  );
}
