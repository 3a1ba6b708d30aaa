import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { ReauthCancelled } from "#/session/reauth";
import type { Failed } from "../run-many";
import { AlertDialog } from "../ui/alert-dialog";
import { useRunMany } from "../use-run-many";
import { FailedRows } from "./failed-rows";

/** Asks before an action for many rows, and lists those that failed. */
export function ManyDialog<Row extends { id: string }>({
  rows: all,
  nameOf,
  call,
  onRun,
  onClose,
  texts: textsOf,
  tone = "primary",
  children,
}: {
  rows: readonly Row[];
  nameOf: (row: Row) => string;
  call: (row: Row) => Promise<unknown>;
  /** Called after each run. */
  onRun: (succeeded: number, failed: readonly Failed<Row>[]) => void;
  onClose: () => void;
  /** For all rows, or those that are left after a failure. */
  texts: (rows: readonly Row[]) => {
    title: string;
    text: string;
    confirm: string;
    /** Some rows failed. */
    failed: (count: number) => string;
    retry: (count: number) => string;
  };
  tone?: "primary" | "danger";
  children?: (rows: readonly Row[]) => ReactNode;
}) {
  const { t } = useTranslation();
  const { run, rows, failed, progress } = useRunMany(all, call, (succeeded, left) => {
    onRun(succeeded, left);
    // Without the password there is nothing to try again here.
    if (left.every(({ error }) => error instanceof ReauthCancelled)) onClose();
  });
  const texts = textsOf(rows);
  return (
    <AlertDialog
      open
      onOpenChange={onClose}
      tone={tone}
      title={texts.title}
      description={texts.text}
      confirmLabel={failed.length > 0 ? texts.retry(failed.length) : texts.confirm}
      pendingLabel={t("equipment-bulk.progress", { done: progress ?? 0, total: rows.length })}
      pending={progress !== null}
      onConfirm={() => void run()}
    >
      {children?.(rows)}
      {failed.length > 0 && progress === null && (
        <div className="mt-3">
          <FailedRows title={texts.failed(failed.length)} failed={failed} nameOf={nameOf} />
        </div>
      )}
    </AlertDialog>
  );
}
