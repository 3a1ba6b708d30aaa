import { Dialog as Radix } from "radix-ui";
import type { ReactNode } from "react";
import { returnFocus } from "#/shared/ui/return-focus";

/**
 * Covers the page and its open dialogs, and can't be closed. The content underneath stays, but
 * can't be read or used.
 */
export function Cover({
  header,
  title,
  description,
  children,
}: {
  header: ReactNode;
  title: ReactNode;
  description: ReactNode;
  children: ReactNode;
}) {
  const focus = returnFocus(true);
  const stay = (event: Event) => event.preventDefault();
  return (
    <Radix.Root open>
      <Radix.Portal>
        <Radix.Content
          {...focus}
          data-scroll-lock
          onEscapeKeyDown={stay}
          onInteractOutside={stay}
          className="no-print fixed inset-0 z-55 flex flex-col overflow-y-auto bg-surface"
        >
          <div className="flex items-center justify-between gap-3 px-4 py-3 md:px-6 md:py-4">
            {header}
          </div>
          <div className="mx-auto flex w-full max-w-[30rem] flex-1 flex-col justify-center px-4 pt-2 pb-10 md:pb-24">
            <div className="md:rounded-card md:border md:border-line md:bg-raised md:p-8">
              <Radix.Title className="text-title font-[650]">{title}</Radix.Title>
              <Radix.Description className="mt-1 mb-6 text-muted">{description}</Radix.Description>
              {children}
            </div>
          </div>
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
