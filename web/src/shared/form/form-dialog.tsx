import { useId, type FormEventHandler, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "#/shared/ui/button";
import { Dialog } from "#/shared/ui/dialog";
import { Notice } from "#/shared/ui/notice";

/**
 * A form in a dialog. It can't be closed while submitting, and keeps its values after a refusal.
 */
export function FormDialog({
  open,
  onOpenChange,
  title,
  description,
  onSubmit,
  loading,
  submitError,
  toasted = false,
  disabledReason,
  submitLabel,
  submitTone = "primary",
  pendingLabel,
  children,
}: {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  title: string;
  description?: ReactNode;
  /** `form.handleSubmit(...)` */
  onSubmit: FormEventHandler<HTMLFormElement>;
  loading: boolean;
  submitError: string | null;
  /** Whether a toast announces the error; the form then only shows it. */
  toasted?: boolean;
  /** Why the form cannot be submitted now. */
  disabledReason?: string | undefined;
  submitLabel: string;
  submitTone?: "primary" | "danger";
  pendingLabel: string;
  children: ReactNode;
}) {
  const { t } = useTranslation();
  const formId = useId();
  const close = (next: boolean) => {
    if (!loading) onOpenChange(next);
  };
  return (
    <Dialog
      open={open}
      onOpenChange={close}
      title={title}
      description={description}
      footer={
        <>
          <Button onClick={() => close(false)}>{t("common.cancel")}</Button>
          <Button
            type="submit"
            form={formId}
            variant={submitTone}
            pending={loading}
            disabledReason={disabledReason}
            pendingLabel={pendingLabel}
          >
            {submitLabel}
          </Button>
        </>
      }
    >
      <form
        id={formId}
        noValidate
        onSubmit={(event) => {
          // A dialog opened within a form is its React child, so the event must not bubble to that
          // form.
          event.stopPropagation();
          onSubmit(event);
        }}
        className="space-y-4"
      >
        {children}
        {submitError && (
          <Notice tone="danger" announced={!toasted}>
            {submitError}
          </Notice>
        )}
      </form>
    </Dialog>
  );
}
