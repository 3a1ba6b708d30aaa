import type { FormEventHandler, ReactNode } from "react";
import { Button } from "#/shared/ui/button";
import { Notice } from "#/shared/ui/notice";

/** The body of a form that stands on a page: fields, the refusal beside the button, the buttons. */
export function FormPage({
  onSubmit,
  loading,
  submitError,
  submitLabel,
  pendingLabel,
  disabledReason,
  wideSubmit = false,
  secondary,
  children,
}: {
  /** `form.handleSubmit(...)` */
  onSubmit: FormEventHandler<HTMLFormElement>;
  loading: boolean;
  submitError: string | null;
  submitLabel: string;
  pendingLabel: string;
  disabledReason?: string | undefined;
  wideSubmit?: boolean;
  /** Cancel, Skip and the like. */
  secondary?: ReactNode;
  children: ReactNode;
}) {
  return (
    <form noValidate onSubmit={onSubmit} className="space-y-4">
      {children}
      {submitError && <Notice tone="danger">{submitError}</Notice>}
      <div
        className={
          wideSubmit
            ? "flex flex-col gap-2 pt-1"
            : "flex flex-col-reverse gap-2 pt-1 md:flex-row md:justify-end"
        }
      >
        {!wideSubmit && secondary}
        <Button
          type="submit"
          variant="primary"
          wide={wideSubmit}
          pending={loading}
          pendingLabel={pendingLabel}
          disabledReason={disabledReason}
        >
          {submitLabel}
        </Button>
        {wideSubmit && secondary}
      </div>
    </form>
  );
}
