import { useTranslation } from "react-i18next";
import type { Employee } from "#/api/gen/hourmeter/accounts/v1/accounts_pb";
import { Dialog } from "#/shared/ui/dialog";
import { nameOf } from "./people";
import { ResetForm } from "./reset-form";

/** Resets the password of one person. */
export function ResetDialog({ person, onClose }: { person: Employee; onClose: () => void }) {
  const { t } = useTranslation();
  const name = nameOf(person);
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={t("admin-tools.resetOf", { name })}
      description={t("admin-tools.resetText", { name })}
    >
      <ResetForm people={[person]} person={person} onDone={onClose} />
    </Dialog>
  );
}
