import { X } from "lucide-react";
import { Dialog as Radix } from "radix-ui";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "./button";
import { Overlay } from "./overlay";
import { returnFocus } from "./return-focus";

/** A panel from the right edge (menus) or from the bottom (pickers on a phone). */
export function Sheet({
  open,
  onOpenChange,
  title,
  side = "right",
  children,
  footer,
  focusAfter,
}: {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  title: ReactNode;
  side?: "right" | "bottom";
  children: ReactNode;
  footer?: ReactNode;
  /** Receives the focus on close; null: the previous element. */
  focusAfter?: () => HTMLElement | null;
}) {
  const { t } = useTranslation();
  const focus = returnFocus(false, focusAfter);
  const place =
    side === "right"
      ? "inset-y-0 right-0 w-[min(22rem,88vw)] border-l animate-[slide-in_180ms_var(--ease-out)]"
      : "inset-x-0 bottom-0 h-[88dvh] rounded-t-card border-t animate-[slide-up_180ms_var(--ease-out)] md:mx-auto md:max-w-xl";
  return (
    <Radix.Root open={open} onOpenChange={onOpenChange}>
      <Radix.Portal>
        <Overlay />
        <Radix.Content
          {...focus}
          aria-describedby={undefined}
          className={`fixed z-50 flex flex-col border-line bg-raised shadow-overlay ${place}`}
        >
          <header className="flex items-center justify-between gap-4 border-b border-line px-4 py-2">
            <Radix.Title className="text-lg font-semibold">{title}</Radix.Title>
            <Radix.Close asChild>
              <Button variant="quiet" icon aria-label={t("common.close")}>
                <X aria-hidden className="size-5" />
              </Button>
            </Radix.Close>
          </header>
          <div className="min-h-0 flex-1 overflow-y-auto">{children}</div>
          {footer != null && <footer className="border-t border-line p-4">{footer}</footer>}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
