import { AlertDialog as Radix } from "radix-ui";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "./button";
import { Overlay } from "./overlay";
import { returnFocus } from "./return-focus";

/** Asks before something is removed or lost. Stays open while pending. */
export function AlertDialog({
  open,
  onOpenChange,
  title,
  description,
  confirmLabel,
  cancelLabel,
  pendingLabel,
  pending = false,
  tone = "danger",
  focusAfter,
  onConfirm,
  children,
}: {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  title: ReactNode;
  description: ReactNode;
  confirmLabel: string;
  cancelLabel?: string;
  pendingLabel?: string;
  pending?: boolean;
  tone?: "danger" | "primary";
  /** Receives the focus instead of the opener; null if the opener still exists. */
  focusAfter?: () => HTMLElement | null;
  onConfirm: () => void;
  children?: ReactNode;
}) {
  const { t } = useTranslation();
  const focus = returnFocus(false, focusAfter);
  return (
    <Radix.Root open={open} onOpenChange={(next) => (pending ? undefined : onOpenChange(next))}>
      <Radix.Portal>
        <Overlay />
        <Radix.Content
          {...focus}
          // The page behind is already hidden from screen readers; this attribute makes it explicit
          // to checkers.
          aria-modal
          className="fixed inset-x-4 bottom-4 z-50 max-h-[calc(100dvh-2rem)] animate-[rise_160ms_var(--ease-out)] overflow-y-auto rounded-card border border-line bg-raised p-5 shadow-overlay md:inset-auto md:top-1/2 md:left-1/2 md:w-[min(28rem,calc(100vw-2rem))] md:-translate-x-1/2 md:-translate-y-1/2"
        >
          <Radix.Title className="text-lg font-semibold">{title}</Radix.Title>
          <Radix.Description className="mt-2 text-muted">{description}</Radix.Description>
          {children}
          <div className="mt-5 flex flex-col-reverse gap-2 md:flex-row md:justify-end">
            <Radix.Cancel asChild>
              <Button>{cancelLabel ?? t("common.cancel")}</Button>
            </Radix.Cancel>
            <Button
              variant={tone}
              pending={pending}
              pendingLabel={pendingLabel}
              onClick={onConfirm}
            >
              {confirmLabel}
            </Button>
          </div>
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
