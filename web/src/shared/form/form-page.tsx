import { clsx } from "clsx";
import type { FormEventHandler, ReactNode } from "react";
import { Button } from "#/shared/ui/button";
import { Notice } from "#/shared/ui/notice";

/** The body of a form on a page: fields, the submit error and the buttons. */
export function FormPage({
  onSubmit,
  loading,
  submitError,
  errorTitle,
  toasted = false,
  submitLabel,
  pendingLabel,
  disabledReason,
  wideSubmit = false,
  footerClass,
  secondary,
  children,
}: {
  /** `form.handleSubmit(...)` */
  onSubmit: FormEventHandler<HTMLFormElement>;
  loading: boolean;
  submitError: string | null;
  errorTitle?: string;
  /** Whether a toast announces the error; the form then only shows it. */
  toasted?: boolean;
  submitLabel: string;
  pendingLabel: string;
  disabledReason?: string | undefined;
  wideSubmit?: boolean;
  /** Keeps the buttons below the fields if there is content beside them. */
  footerClass?: string;
  /** Cancel, Skip and the like. */
  secondary?: ReactNode;
  children: ReactNode;
}) {
  return (
    <form noValidate onSubmit={onSubmit} className="space-y-4">
      {children}
      {submitError && (
        <div key={submitError} ref={showWhole}>
          <Notice tone="danger" announced={!toasted}>
            {errorTitle && <p className="font-semibold">{errorTitle}</p>}
            <p>{submitError}</p>
          </Notice>
        </div>
      )}
      <div
        className={clsx(
          "flex gap-2 pt-1",
          wideSubmit ? "flex-col" : "flex-col-reverse md:flex-row md:justify-end",
          footerClass,
        )}
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

/** Enter submits on a phone while the end of the form is out of view. */
function showWhole(element: HTMLElement | null) {
  element?.scrollIntoView({ block: "nearest" });
}
