import type { ReactNode } from "react";
import type { UseFormReturn } from "react-hook-form";
import { useTranslation } from "react-i18next";
import type { Equipment } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { FormDialog } from "#/shared/form/form-dialog";
import { FailedRows } from "#/shared/table/failed-rows";
import { nameOf } from "#/shared/table/use-list-selection";
import type { useBulk } from "./use-bulk";

export interface BulkProps {
  machines: readonly Equipment[];
  onClose: () => void;
  /** Called instead when all machines were changed. */
  onDone: () => void;
}

/** The form of an action, with the machines that failed and why. */
export function BulkForm<Values extends Record<string, unknown>>({
  form,
  bulk,
  onClose,
  title,
  text,
  submit,
  danger = false,
  disabledReason,
  children,
}: {
  form: UseFormReturn<Values>;
  bulk: ReturnType<typeof useBulk<Values>>;
  onClose: () => void;
  title: string;
  text?: string;
  submit: string;
  danger?: boolean;
  /** Why the form cannot be submitted yet. */
  disabledReason?: string | undefined;
  children: ReactNode;
}) {
  const { t } = useTranslation();
  const { failed, progress, rows } = bulk;
  return (
    <FormDialog
      open
      onOpenChange={onClose}
      title={title}
      description={text}
      onSubmit={form.handleSubmit((values) => bulk.run(values))}
      loading={progress !== null}
      submitError={null}
      disabledReason={disabledReason}
      submitLabel={failed.length > 0 ? t("equipment-bulk.retry", { count: failed.length }) : submit}
      submitTone={danger ? "danger" : "primary"}
      pendingLabel={t("equipment-bulk.progress", { done: progress ?? 0, total: rows.length })}
    >
      {children}
      {failed.length > 0 && progress === null && (
        <FailedRows
          title={t("equipment-bulk.failed", { count: failed.length })}
          failed={failed}
          nameOf={nameOf}
        />
      )}
    </FormDialog>
  );
}
