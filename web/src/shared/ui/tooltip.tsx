import { Slot, Tooltip as Radix } from "radix-ui";
import type { ComponentPropsWithRef, ReactElement, ReactNode } from "react";

/** Once around the app: 700 ms before the first tooltip, none between neighbours within 300 ms. */
export function TooltipProvider({ children }: { children: ReactNode }) {
  return (
    <Radix.Provider delayDuration={700} skipDelayDuration={300}>
      {children}
    </Radix.Provider>
  );
}

/** Only for what can also be learnt otherwise: touch screens never show it. */
export function Tooltip({
  text,
  children,
}: {
  /** Nothing: there is nothing to say now. */
  text: string | undefined;
  children: ReactElement;
}) {
  return (
    <Radix.Root>
      <Radix.Trigger asChild>
        <Undescribed>{children}</Undescribed>
      </Radix.Trigger>
      {text !== undefined && (
        <Radix.Portal>
          <Radix.Content
            sideOffset={6}
            collisionPadding={12}
            className="z-50 max-w-72 animate-[appear_120ms] rounded-control bg-ink px-2.5 py-1.5 text-sm text-surface shadow-overlay"
          >
            {text}
          </Radix.Content>
        </Radix.Portal>
      )}
    </Radix.Root>
  );
}

/** What the tooltip says is told otherwise already; described by both, it would be read out twice. */
function Undescribed(props: ComponentPropsWithRef<typeof Slot.Root>) {
  return <Slot.Root {...props} aria-describedby={undefined} />;
}
