import { X } from "lucide-react";
import { Dialog as Radix } from "radix-ui";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "./button";
import { Overlay } from "./overlay";
import { returnFocus } from "./return-focus";

/** Traps and restores the focus; Escape closes it; on a phone it is at the bottom edge. */
export function Dialog({
  open,
  onOpenChange,
  title,
  description,
  children,
  footer,
}: {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  title: ReactNode;
  description?: ReactNode;
  children?: ReactNode;
  footer?: ReactNode;
}) {
  const { t } = useTranslation();
  const focus = returnFocus(true);
  return (
    <Radix.Root open={open} onOpenChange={onOpenChange}>
      <Radix.Portal>
        <Overlay />
        <Radix.Content
          {...focus}
          // A toast handles Escape first; one press closes both.
          onKeyDown={(event) => {
            const within =
              event.target instanceof Node && event.currentTarget.contains(event.target);
            if (event.key === "Escape" && within && !event.defaultPrevented) onOpenChange(false);
          }}
          {...(description == null ? { "aria-describedby": undefined } : {})}
          className="fixed inset-x-0 bottom-0 z-50 flex max-h-[92dvh] animate-[rise_160ms_var(--ease-out)] flex-col rounded-t-card border border-line bg-raised shadow-overlay md:inset-auto md:top-1/2 md:left-1/2 md:max-h-[86dvh] md:w-[min(34rem,calc(100vw-2rem))] md:-translate-x-1/2 md:-translate-y-1/2 md:rounded-card"
        >
          <header className="flex items-start justify-between gap-4 px-5 pt-4">
            <div className="pt-1">
              <Radix.Title className="text-lg font-semibold">{title}</Radix.Title>
              {description != null && (
                <Radix.Description className="mt-1 text-muted">{description}</Radix.Description>
              )}
            </div>
            <Radix.Close asChild>
              <Button variant="quiet" size="small" icon aria-label={t("common.close")}>
                <X aria-hidden className="size-5" />
              </Button>
            </Radix.Close>
          </header>
          <div className="overflow-y-auto px-5 py-4">{children}</div>
          {footer != null && (
            <footer className="flex flex-col-reverse gap-2 border-t border-line px-5 py-4 md:flex-row md:justify-end">
              {footer}
            </footer>
          )}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
