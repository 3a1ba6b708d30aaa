import { Tabs as Radix } from "radix-ui";
import { useLayoutEffect, useRef, type ReactNode } from "react";

/**
 * Tabs with manual activation: arrow keys move, Enter or Space opens. The row scrolls on narrow
 * screens. Only the open view is mounted.
 */
export function Tabs<Value extends string>({
  label,
  value,
  tabs,
  onChange,
  children,
}: {
  /** Names the row for screen readers. */
  label: string;
  value: Value;
  tabs: ReadonlyArray<{ value: Value; label: ReactNode }>;
  onChange: (value: Value) => void;
  /** The open view. */
  children: ReactNode;
}) {
  const open = tabs.findIndex((tab) => tab.value === value);
  const row = useRef<HTMLDivElement>(null);
  // The URL may open a tab beyond the edge of a phone.
  useLayoutEffect(() => {
    const list = row.current;
    const tab = list?.children[open];
    if (!list || !(tab instanceof HTMLElement)) return;
    const end = tab.offsetLeft + tab.offsetWidth;
    if (end > list.scrollLeft + list.clientWidth) list.scrollLeft = end - list.clientWidth;
    else if (tab.offsetLeft < list.scrollLeft) list.scrollLeft = tab.offsetLeft;
  }, [open]);
  return (
    <Radix.Root
      value={value}
      // Views load data when opened, so moving the focus must not open them.
      activationMode="manual"
      onValueChange={(next) => {
        const chosen = tabs.find((tab) => tab.value === next);
        if (chosen) onChange(chosen.value);
      }}
    >
      <Radix.List
        ref={row}
        aria-label={label}
        className="no-print relative -mx-4 flex overflow-x-auto px-4 shadow-[inset_0_-1px_0_var(--line)] [scrollbar-width:none] lg:mx-0 lg:px-0"
      >
        {tabs.map((tab) => (
          <Radix.Trigger
            key={tab.value}
            value={tab.value}
            className="flex min-h-12 shrink-0 items-center gap-2 border-b-2 border-transparent px-3 font-semibold whitespace-nowrap text-muted transition-colors -outline-offset-2 hover:text-ink data-[state=active]:border-accent data-[state=active]:text-ink md:min-h-11 md:px-4"
          >
            {tab.label}
          </Radix.Trigger>
        ))}
      </Radix.List>
      <Radix.Content value={value} tabIndex={-1} className="pt-5 outline-none">
        {children}
      </Radix.Content>
    </Radix.Root>
  );
}
